// Shapes: support points, implicit functions, mass properties, hulls, files, and what is refused.
#include "support.hpp"

#include <perp/problems/json/json.hpp>
#include <perp/problems/scenes/mass_properties.hpp>
#include <perp/problems/scenes/obj_file.hpp>
#include <perp/problems/scenes/scene_json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>

namespace perp::test {
namespace {

std::vector<Vector3d> directions(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Vector3d> result;
  for (int k = 0; k < count; ++k)
    result.push_back(Vector3d(normal(random), normal(random), normal(random)).normalized());
  return result;
}

Polyhedron octahedron(double r) {
  return convex_hull({{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}});
}

std::vector<Shape> solids() {
  return {Sphere{0.7},
          Box{{0.3, 0.5, 0.8}},
          Ellipsoid{{0.3, 0.5, 0.8}},
          Superquadric{{0.4, 0.6, 0.5}, 0.4, 1.6},
          Superquadric{{0.4, 0.6, 0.5}, 1.2, 0.7},
          Cylinder{0.4, 0.9},
          octahedron(0.6)};
}

// The matrix's distance from the diagonal one.
double far_from(const Matrix3d& m, const Vector3d& diagonal) {
  return (m - Matrix3d(diagonal.asDiagonal())).cwiseAbs().maxCoeff();
}

TEST(Shapes, SupportPointsAreOnTheSurfaceAndFarthest) {
  for (const Shape& shape : solids()) {
    std::vector<Vector3d> surface;
    for (const Vector3d& d : directions(2000, 1)) surface.push_back(support_point(shape, d));
    for (const Vector3d& d : directions(200, 2)) {
      const Vector3d x = support_point(shape, d);
      EXPECT_NEAR(implicit_value(shape, x), 0.0, 1e-12) << shape_name(shape);
      EXPECT_LE(x.norm(), bounding_radius(shape) * (1 + 1e-14));
      EXPECT_NEAR((support_point(shape, 3 * d) - x).norm(), 0.0, 1e-13);
      for (const Vector3d& y : surface) EXPECT_LE(d.dot(y), d.dot(x) + 1e-13) << shape_name(shape);
    }
    // Also in the directions where powers of zero turn up.
    for (int k = 0; k < 3; ++k) {
      const Vector3d x = support_point(shape, Vector3d::Unit(k));
      EXPECT_TRUE(x.allFinite());
      EXPECT_NEAR(implicit_value(shape, x), 0.0, 1e-12) << shape_name(shape);
    }
  }
}

TEST(Shapes, NoPointOfARayLeavesTheShapeBeforeItsSurface) {
  for (const Shape& shape : solids()) {
    for (const Vector3d& d : directions(50, 3)) {
      EXPECT_LT(implicit_value(shape, 0.05 * d), 0.0) << shape_name(shape);
      EXPECT_GT(implicit_value(shape, 1.01 * bounding_radius(shape) * d), 0.0) << shape_name(shape);
    }
  }
}

TEST(Shapes, GradientsAreDerivatives) {
  const double h = 1e-6;
  for (const Shape& shape : solids()) {
    for (const Vector3d& x : directions(50, 4)) {
      const Vector3d g = implicit_gradient(shape, x);
      for (int k = 0; k < 3; ++k) {
        const Vector3d e = h * Vector3d::Unit(k);
        const double slope =
            (implicit_value(shape, x + e) - implicit_value(shape, x - e)) / (2 * h);
        EXPECT_NEAR(g[k], slope, 1e-6 * (1 + g.norm())) << shape_name(shape);
      }
    }
  }
}

TEST(Shapes, NormalsOfSmoothShapesAreTheirGradients) {
  for (const Shape& shape : std::vector<Shape>{Sphere{0.7}, Ellipsoid{{0.3, 0.5, 0.8}},
                                               Superquadric{{0.4, 0.6, 0.5}, 1.2, 0.7}}) {
    for (const Vector3d& d : directions(50, 5)) {
      const Vector3d g = implicit_gradient(shape, support_point(shape, d)).normalized();
      EXPECT_LT((g - d).norm(), 1e-9) << shape_name(shape);
    }
  }
}

TEST(Shapes, FeaturesOfABoxAndACylinder) {
  const Shape box = Box{{1, 2, 3}};
  EXPECT_EQ(support_feature(box, Vector3d::UnitX(), 1e-6).points.size(), 4u);
  EXPECT_EQ(support_feature(box, Vector3d(1, 1, 0).normalized(), 1e-6).points.size(), 2u);
  EXPECT_EQ(support_feature(box, Vector3d(1, 1, 1).normalized(), 1e-6).points.size(), 1u);
  const Feature face = support_feature(box, Vector3d(0.1, 0.99, 0.1).normalized(), 0.3);
  ASSERT_TRUE(face.is_face());
  EXPECT_EQ(face.normal, Vector3d::UnitY());
  const Vector3d turn =
      (face.points[1] - face.points[0]).cross(face.points[2] - face.points[1]).normalized();
  EXPECT_LT((turn - face.normal).norm(), 1e-14);
  const Shape cylinder = Cylinder{0.5, 2.0};
  EXPECT_EQ(support_feature(cylinder, Vector3d::UnitZ(), 1e-6).points.size(), 8u);
  EXPECT_EQ(support_feature(cylinder, Vector3d(1, 1, 0).normalized(), 1e-6).points.size(), 2u);
  EXPECT_EQ(support_feature(cylinder, Vector3d(1, 1, 1).normalized(), 1e-6).points.size(), 1u);
  for (const Shape& shape : solids()) {
    for (const double tolerance : {1e-6, 0.1, 1.0}) {
      for (const Vector3d& d : directions(30, 6)) {
        const Feature f = support_feature(shape, d, tolerance);
        double farthest = -1.0;
        for (const Vector3d& x : f.points) {
          EXPECT_NEAR(implicit_value(shape, x), 0.0, 1e-12);
          farthest = std::max(farthest, d.dot(x));
        }
        EXPECT_NEAR(farthest, d.dot(support_point(shape, d)), 1e-12) << shape_name(shape);
      }
    }
  }
}

TEST(MassProperties, ClosedForms) {
  const double pi = std::numbers::pi;
  const MassProperties box = mass_properties(Box{{1, 2, 3}});
  EXPECT_DOUBLE_EQ(box.measure, 48.0);
  EXPECT_LT(far_from(box.inertia, 16 * Vector3d(13, 10, 5)), 1e-11);
  std::vector<Vector3d> corners;
  for (int k = 0; k < 8; ++k)
    corners.emplace_back((k & 1 ? 1 : -1) + 5, (k & 2 ? 2 : -2) - 1, (k & 4 ? 3 : -3) + 2);
  const MassProperties hull = mass_properties(convex_hull(corners));
  EXPECT_NEAR(hull.measure, 48.0, 1e-12);
  EXPECT_LT((hull.centre - Vector3d(5, -1, 2)).norm(), 1e-13);
  EXPECT_LT((hull.inertia - box.inertia).cwiseAbs().maxCoeff(), 1e-11);

  const MassProperties ellipsoid = mass_properties(Ellipsoid{{1, 2, 3}});
  EXPECT_NEAR(ellipsoid.measure, 8 * pi, 1e-13);
  EXPECT_LT(far_from(ellipsoid.inertia, 8 * pi / 5 * Vector3d(13, 10, 5)), 1e-12);
  const MassProperties cylinder = mass_properties(Cylinder{2, 3});
  EXPECT_NEAR(cylinder.measure, 24 * pi, 1e-12);
  EXPECT_LT(far_from(cylinder.inertia, 24 * pi * Vector3d(1 + 3, 1 + 3, 2)), 1e-11);
  // Of a regular octahedron with corners at distance 1: volume 4/3, moments volume/5.
  const MassProperties octa = mass_properties(octahedron(1.0));
  EXPECT_NEAR(octa.measure, 4.0 / 3, 1e-14);
  EXPECT_LT(far_from(octa.inertia, Vector3d::Constant(4.0 / 15)), 1e-14);
}

TEST(MassProperties, SuperquadricsBetweenEllipsoidCylinderAndBox) {
  const auto near = [](const Superquadric& s, const Shape& other, double tolerance) {
    const MassProperties a = mass_properties(s), b = mass_properties(other);
    EXPECT_NEAR(a.measure / b.measure, 1.0, tolerance);
    EXPECT_LT((a.inertia - b.inertia).cwiseAbs().maxCoeff() / b.inertia.trace(), tolerance);
  };
  near({{1, 2, 3}, 1, 1}, Ellipsoid{{1, 2, 3}}, 1e-13);
  near({{1, 2, 3}, 1e-4, 1e-4}, Box{{1, 2, 3}}, 1e-6);
  near({{2, 2, 3}, 1e-4, 1.0}, Cylinder{2, 3}, 1e-6);
  near({{1, 1, 1}, 2 - 1e-9, 2 - 1e-9}, octahedron(1.0), 1e-7);
}

TEST(MassProperties, PrincipalAxesDiagonaliseAndTurnLittle) {
  const Matrix3d r = Eigen::AngleAxisd(0.3, Vector3d(1, 2, 2).normalized()).toRotationMatrix();
  const Matrix3d tensor = r * Vector3d(3, 1, 2).asDiagonal() * r.transpose();
  const Matrix3d axes = principal_axes(tensor);
  EXPECT_LT((axes - r).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_EQ(principal_axes(Vector3d(3, 1, 2).asDiagonal()), Matrix3d(Matrix3d::Identity()));
}

TEST(Polyhedra, HullsMergeFacesAndDropInnerPoints) {
  std::vector<Vector3d> points;  // a cube with points on its faces, edges and inside
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = -1; k <= 1; ++k) points.emplace_back(i, j, k);
  const Polyhedron cube = convex_hull(points);
  EXPECT_EQ(cube.vertices.size(), 8u);
  EXPECT_EQ(cube.faces.size(), 6u);
  EXPECT_EQ(cube.edges.size(), 12u);
  EXPECT_EQ(cube.edge_directions.size(), 3u);
  EXPECT_DOUBLE_EQ(cube.half_width, 1.0);
  for (const Vector3d& d : directions(1, 7)) points.assign(50, d);
  EXPECT_THROW(convex_hull(points), std::invalid_argument);
  // Euler's formula, and every edge in two faces, for hulls of random points.
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Polyhedron p = convex_hull(directions(40, seed));
    EXPECT_EQ(p.vertices.size() + p.faces.size(), p.edges.size() + 2);
    std::vector<int> uses(p.edges.size(), 0);
    for (const auto& face : p.face_edges) {
      for (const int e : face) ++uses[e];
    }
    for (const int count : uses) EXPECT_EQ(count, 2);
    for (std::size_t f = 0; f < p.faces.size(); ++f) {
      for (const Vector3d& v : p.vertices) EXPECT_LE(p.normals[f].dot(v), p.offsets[f] + 1e-12);
    }
  }
}

TEST(Polyhedra, HalfSpacesAndVerticesDescribeTheSameSolid) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::vector<Vector3d> vertices = directions(30, seed);
    for (Vector3d& v : vertices) v += Vector3d(5, -3, 0.2);  // the origin is outside
    const Polyhedron p = convex_hull(vertices);
    std::vector<std::pair<Vector3d, double>> spaces;
    for (std::size_t f = 0; f < p.faces.size(); ++f)
      spaces.emplace_back(2 * p.normals[f], 2 * p.offsets[f]);
    spaces.emplace_back(Vector3d::UnitX(), 100.0);  // says nothing
    const Polyhedron q = intersection(spaces);
    EXPECT_EQ(q.vertices.size(), p.vertices.size());
    EXPECT_NEAR(mass_properties(q).measure, mass_properties(p).measure, 1e-9);
  }
}

// ---- scene files ----

Scene with_shape(const std::string& shape, const std::string& more = R"("density":10)") {
  return scene_from_text(
      R"({"format":"perp-scene","version":1,"name":"t","dimension":3,"bodies":[{"name":"b",)" +
          more + R"(,"position":[1,2,3],"orientation":[0.8,0.6,0,0],"shape":)" + shape + "}]}",
      "scene.json");
}

std::string fault(const std::string& shape) {
  try {
    with_shape(shape);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ShapeFiles, EveryShapeIsRead) {
  EXPECT_EQ(shape_name(with_shape(R"({"type":"ellipsoid","half":[1,2,3]})").bodies[0].shape),
            "ellipsoid");
  EXPECT_EQ(
      shape_name(with_shape(R"({"type":"cylinder","radius":1,"half_length":2})").bodies[0].shape),
      "cylinder");
  const Scene s = with_shape(R"({"type":"superquadric","half":[1,2,3],"exponents":[0.5,"1/4"]})");
  EXPECT_EQ(std::get<Superquadric>(s.bodies[0].shape).e2, 0.25);
}

// The vertices stay where the file puts them, whatever frame the body gets.
TEST(ShapeFiles, APolyhedronIsMovedToItsMassCentreAndPrincipalAxes) {
  const std::string vertices = "[[0,0,0],[2,0,0],[0,1,0],[0,0,0.5],[0.1,0.1,0.1]]";
  const Scene s = with_shape(R"({"type":"polyhedron","vertices":)" + vertices + "}");
  const Scene fixed =
      with_shape(R"({"type":"polyhedron","vertices":)" + vertices + "}", R"("fixed":true)");
  const Body &body = s.bodies[0], &there = fixed.bodies[0];
  EXPECT_EQ(there.position, Vector3d(1, 2, 3));
  const auto& moved = std::get<Polyhedron>(body.shape);
  const auto& given = std::get<Polyhedron>(there.shape);
  ASSERT_EQ(moved.vertices.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    const Vector3d x = body.position + body.orientation * moved.vertices[k];
    const Vector3d y = there.position + there.orientation * given.vertices[k];
    EXPECT_LT((x - y).norm(), 1e-14);
  }
  const MassProperties m = mass_properties(body.shape);
  EXPECT_LT(m.centre.norm(), 1e-15);
  EXPECT_LT(far_from(10 * m.inertia, body.inertia), 1e-15);
  EXPECT_NEAR(body.mass, 10.0 / 6, 1e-13);
}

TEST(ShapeFiles, HalfSpacesOfACube) {
  std::string spaces;
  for (const char* n : {"[1,0,0]", "[-1,0,0]", "[0,1,0]", "[0,-1,0]", "[0,0,1]", "[0,0,-1]"})
    spaces += std::string(spaces.empty() ? "" : ",") + R"({"normal":)" + n + R"(,"offset":0.5})";
  const Scene s = with_shape(R"({"type":"polyhedron","half_spaces":[)" + spaces + "]}");
  EXPECT_NEAR(s.bodies[0].mass, 10.0, 1e-9);
  EXPECT_EQ(std::get<Polyhedron>(s.bodies[0].shape).vertices.size(), 8u);
}

TEST(ShapeFiles, WhatIsWrongIsNamed) {
  const std::vector<std::array<std::string, 3>> cases = {
      {R"({"type":"ellipsoid","half":[1,0,3]})", "bodies[0].shape.half", "not positive"},
      {R"({"type":"superquadric","half":[1,1,1],"exponents":[1,2]})", "shape.exponents", "between"},
      {R"({"type":"superquadric","half":[1,1,1],"exponents":[1]})", "shape.exponents",
       "expected 2"},
      {R"({"type":"cylinder","radius":1})", "shape.half_length", "missing"},
      {R"({"type":"polyhedron"})", "bodies[0].shape", "one of"},
      {R"({"type":"polyhedron","vertices":[[0,0,0],[1,0,0],[0,1,0]]})", "shape.vertices", "four"},
      {R"({"type":"polyhedron","vertices":[[0,0,0],[1,0,0],[0,1,0],[1,1,0]]})", "vertices",
       "plane"},
      {R"({"type":"polyhedron","half_spaces":[{"normal":[1,0,0],"offset":1}]})", "half_spaces",
       "unbounded"},
      {R"({"type":"polyhedron","half_spaces":[{"normal":[1,0,0],"offset":-1},)"
       R"({"normal":[-1,0,0],"offset":-1}]})",
       "half_spaces", "no common inside"},
      {R"({"type":"polyhedron","obj":"no-such-file.obj"})", "shape.obj", "no-such-file.obj"},
      {R"({"type":"disc","radius":1})", "shape.type", "2D"},
      {R"({"type":"torus"})", "shape.type", "superquadric"}};
  for (const auto& [shape, field, word] : cases) {
    const std::string message = fault(shape);
    EXPECT_NE(message.find(field), std::string::npos) << shape << ": " << message;
    EXPECT_NE(message.find(word), std::string::npos) << shape << ": " << message;
    EXPECT_EQ(message.find("scene.json: field"), 0u) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

const char* const kCubeObj =
    "# a unit cube\no cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\r\n"
    "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\ns off\nf 1 4 3 2\nf 5/1 6/1 7/1 8/1\n"
    "f 1//1 2//1 6//1 5//1\nf 2/1/1 3/1/1 7/1/1\nf 2 7 6\nf -5 -6 -2 -1\nf 4 1 5 8\n";

TEST(ObjFiles, ACubeWithAllFormsOfFaces) {
  const Polyhedron cube = polyhedron_from_obj(kCubeObj);
  EXPECT_EQ(cube.vertices.size(), 8u);
  EXPECT_EQ(cube.faces.size(), 6u);
  EXPECT_NEAR(mass_properties(cube).measure, 1.0, 1e-14);
}

TEST(ObjFiles, WhatCannotBeReadOrIsNotConvexIsRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"v 0 0\n", "line 1"},
      {"v 0 0 x\n", "line 1: a coordinate"},
      {"v 0 0 0\nv 1 0 0\nf 1 2 3\n", "line 3: vertex 3"},
      {"v 0 0 0\nf 1 a 1\n", "line 2"},
      {"v 0 0 0\n", "no faces"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "four"},
      // A pyramid whose tip points inwards beside a cube's corners: its faces are below the hull.
      {std::string(kCubeObj) + "v 0.5 0.5 0.5\nf 1 2 9\n", "not convex"}};
  for (const auto& [text, word] : cases) {
    try {
      polyhedron_from_obj(text);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
}

TEST(ObjFiles, StandBesideTheSceneFile) {
  const auto folder = std::filesystem::temp_directory_path() / "perp-obj-test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "cube.obj") << kCubeObj;
  const Scene s = scene_from_text(
      R"({"format":"perp-scene","version":1,"name":"t","dimension":3,"bodies":[)"
      R"({"name":"b","density":3,"shape":{"type":"polyhedron","obj":"cube.obj"}}]})",
      (folder / "scene.json").string());
  std::filesystem::remove_all(folder);
  EXPECT_NEAR(s.bodies[0].mass, 3.0, 1e-13);
  EXPECT_LT((s.bodies[0].position - Vector3d::Constant(0.5)).norm(), 1e-14);
}

}  // namespace
}  // namespace perp::test
