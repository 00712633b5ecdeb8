// The worst row of an answer in words.
#pragma once

#include <perp/problems/standard/verifier.hpp>
#include <string>

namespace perp {

/// The contact that the worst row belongs to, as an index into problem.contacts; -1: none, or not
/// told. Of a friction_contact it is the contact of the row, else the one whose name begins the
/// unknown's.
int worst_contact(const Problem& problem, const Residuals& residuals);

/// "box/ground:1.normal (contact of box and ground)": the unknown's name and the bodies that touch.
std::string worst_in_words(const Problem& problem, const Residuals& residuals);

}  // namespace perp
