// Rows of a problem in words.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <string>

namespace perp {

/// The contact that an unknown or row belongs to, as an index into problem.contacts; -1: none, or
/// not told. Of a friction_contact it is the contact of the row, else the one whose name begins the
/// unknown's.
int contact_of(const Problem& problem, int row);

/// "box/ground:1.normal (contact of box and ground)": the unknown's name and the bodies that touch.
std::string row_in_words(const Problem& problem, int row);

}  // namespace perp
