#include <perp/bench/simulation/shapes_json.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace perp {

using Json = nlohmann::ordered_json;

namespace {

Json numbers(const Vector3d& v) { return {v[0], v[1], v[2]}; }

struct ShapeFields {
  Json& out;

  void operator()(const std::monostate&) const {}
  void operator()(const HalfSpace& s) const {
    out["normal"] = numbers(s.normal);
    out["offset"] = s.offset;
  }
  void operator()(const Disc& s) const { out["radius"] = s.radius; }
  void operator()(const Sphere& s) const { out["radius"] = s.radius; }
  void operator()(const Box& s) const { out["half"] = numbers(s.half); }
  void operator()(const Ellipsoid& s) const { out["half"] = numbers(s.half); }
  void operator()(const Superquadric& s) const {
    out["half"] = numbers(s.half);
    out["exponents"] = {s.e1, s.e2};
  }
  void operator()(const Cylinder& s) const {
    out["radius"] = s.radius;
    out["half_length"] = s.half_length;
  }
  void operator()(const Polygon& s) const { put_vertices(s.vertices); }
  void operator()(const Polyhedron& s) const {
    put_vertices(s.vertices);
    out["faces"] = s.faces;
  }
  void put_vertices(const std::vector<Vector3d>& vertices) const {
    out["vertices"] = Json::array();
    for (const Vector3d& v : vertices) out["vertices"].push_back(numbers(v));
  }
};

}  // namespace

Json shapes_to_json(const Scene& scene) {
  Json shapes = Json::array(), bodies = Json::array();
  std::vector<const Shape*> known;
  for (const Body& body : scene.bodies) {
    Json place = nullptr;
    if (!std::holds_alternative<std::monostate>(body.shape)) {
      const auto it = std::find_if(known.begin(), known.end(),
                                   [&](const Shape* other) { return *other == body.shape; });
      place = it - known.begin();
      if (it == known.end()) {
        known.push_back(&body.shape);
        Json shape{{"type", shape_name(body.shape)}};
        std::visit(ShapeFields{shape}, body.shape);
        shapes.push_back(std::move(shape));
      }
    }
    const Quaterniond& q = body.orientation;
    bodies.push_back({{"name", body.name},
                      {"fixed", body.fixed},
                      {"shape", place},
                      {"position", numbers(body.position)},
                      {"orientation", {q.w(), q.x(), q.y(), q.z()}}});
  }
  return {{"format", "perp-shapes"},
          {"version", 1},
          {"dimension", scene.dimension},
          {"shapes", shapes},
          {"bodies", bodies}};
}

}  // namespace perp
