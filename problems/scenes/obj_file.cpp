#include <perp/problems/scenes/obj_file.hpp>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kDent = 1e-6;  // how far below the hull a face may lie, over the size of the hull
constexpr std::size_t kMaxVertices = 100'000, kMaxCorners = 600'000;
constexpr double kFarthest = 1e9;  // m

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> result;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    result.push_back(line.substr(begin, at - begin));
  }
  return result;
}

struct Mesh {
  std::vector<Vector3d> vertices;
  std::vector<std::vector<int>> faces;
  std::size_t corners = 0;  // of all faces

  void read(std::string_view line, int number) {
    const auto fail = [&](std::string_view fault) {
      throw std::invalid_argument(fmt::format("line {}: {}", number, fault));
    };
    const std::vector<std::string_view> w = words(line);
    if (w.empty() || (w[0] != "v" && w[0] != "f")) return;
    if (w.size() < 4) fail(fmt::format("\"{}\" needs three values", w[0]));
    if (w[0] == "v") {
      Vector3d x;
      for (int k = 0; k < 3; ++k) {
        const auto [end, error] =
            std::from_chars(w[k + 1].data(), w[k + 1].data() + w[k + 1].size(), x[k]);
        if (error != std::errc() || end != w[k + 1].data() + w[k + 1].size() ||
            !std::isfinite(x[k]))
          fail("a coordinate is not a number");
        if (std::abs(x[k]) > kFarthest)
          fail(fmt::format("a coordinate is beyond {:g} m", kFarthest));
      }
      if (vertices.size() == kMaxVertices) fail(fmt::format("more than {} vertices", kMaxVertices));
      vertices.push_back(x);
      return;
    }
    corners += w.size() - 1;
    if (corners > kMaxCorners)
      fail(fmt::format("the faces have more than {} corners", kMaxCorners));
    faces.emplace_back();
    const long count = static_cast<long>(vertices.size());
    for (std::size_t k = 1; k < w.size(); ++k) {
      const std::string_view index = w[k].substr(0, w[k].find('/'));
      long value = 0;
      const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), value);
      if (error != std::errc() || end != index.data() + index.size())
        fail("a vertex of a face is not an integer");
      const long at = value < 0 ? count + value : value - 1;
      if (value == 0 || at < 0 || at >= count)
        fail(fmt::format("vertex {} of a face: the file has {} so far", value, count));
      faces.back().push_back(static_cast<int>(at));
    }
  }
};

// How far points are below the surface of a hull. Points that follow each other are mostly near the
// same face, so the search begins with the face that was found last.
class Depth {
 public:
  Depth(const Polyhedron& hull, double allowed) : hull_(hull), allowed_(allowed) {}

  // The least depth below a face; or, to save time, the first depth that is at most `allowed`.
  double operator()(const Vector3d& x) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < hull_.faces.size(); ++k) {
      const std::size_t f = (near_ + k) % hull_.faces.size();
      least = std::min(least, hull_.offsets[f] - hull_.normals[f].dot(x));
      if (least > allowed_) continue;
      near_ = f;
      break;
    }
    return least;
  }

 private:
  const Polyhedron& hull_;
  double allowed_;
  std::size_t near_ = 0;
};

}  // namespace

Polyhedron polyhedron_from_obj(std::string_view text) {
  Mesh mesh;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    mesh.read(text.substr(at, end - at), ++number);
    at = end + 1;
  }
  if (mesh.faces.empty()) throw std::invalid_argument("has no faces (lines \"f\")");
  std::vector<Vector3d> used;
  std::vector<char> is_used(mesh.vertices.size(), 0);
  for (const std::vector<int>& face : mesh.faces) {
    for (const int k : face) {
      if (!is_used[k]) used.push_back(mesh.vertices[k]);
      is_used[k] = 1;
    }
  }
  const Polyhedron hull = convex_hull(used);
  Vector3d low = used[0], high = used[0];
  for (const Vector3d& v : used) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  const double allowed = kDent * (high - low).norm();
  Depth depth(hull, allowed);
  for (const std::vector<int>& face : mesh.faces) {
    for (std::size_t k = 1; k + 1 < face.size(); ++k) {
      const Vector3d &a = mesh.vertices[face[0]], &b = mesh.vertices[face[k]],
                     &c = mesh.vertices[face[k + 1]];
      const double dent = std::max({depth(a), depth(b), depth(c), depth((a + b + c) / 3)});
      if (dent > allowed) {
        throw std::invalid_argument(fmt::format(
            "is not convex: a face lies {:.3g} m below the hull of all vertices", dent));
      }
    }
  }
  return hull;
}

}  // namespace perp
