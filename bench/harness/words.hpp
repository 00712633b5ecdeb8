// The worst row of an answer in words.
#pragma once

#include <perp/problems/standard/verifier.hpp>
#include <string>

namespace perp {

/// The contact of the worst row, as an index into problem.contacts; -1 if there is none or it is
/// not known. In a friction_contact the row gives the contact; else it is the contact whose name is
/// the beginning of the unknown's name.
int worst_contact(const Problem& problem, const Residuals& residuals);

/// "box/ground:1.normal (contact of box and ground)": the name of the unknown and the two bodies.
std::string worst_in_words(const Problem& problem, const Residuals& residuals);

}  // namespace perp
