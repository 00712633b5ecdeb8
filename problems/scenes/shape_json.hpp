// Shapes of scene files (docs/reference/scenes.md).
#pragma once

#include <map>
#include <perp/problems/scenes/number_fields.hpp>
#include <perp/problems/scenes/shapes.hpp>

namespace perp {

/// Reads the shapes of one scene. A mesh that many bodies share is read once. There is a limit on
/// the corners of all shapes together.
class ShapeReader {
 public:
  /// @param dimension 2 or 3: that of the scene
  /// @throws InputError: one line that names file, field and fault.
  Shape read(const Field& field, int dimension, const Names& names);

 private:
  Polyhedron read_polyhedron(const Field& field, const Names& names);
  const Polyhedron& read_obj(const Field& field);

  std::map<std::string, Polyhedron> meshes_;  // by the text of the field
  std::size_t corners_ = 0;
  int points_ = 0;  // of all hulls so far
};

}  // namespace perp
