// What neither scene files nor numbers may do: lead out of folders, or end in states that are none.
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/collision/separation.hpp>
#include <perp/problems/io/file_names.hpp>
#include <perp/problems/scenes/obj_file.hpp>
#include <perp/problems/scenes/scene_json.hpp>

#include <set>

namespace perp::test {
namespace {

TEST(FileNames, StayWhatTheyAreWhereTheyAreHarmless) {
  for (const char* name : {"box-stack-000001-contact", "n=3, mu=0.5", "Würfel", "a.b"})
    EXPECT_EQ(file_name_of(name), name);
}

TEST(FileNames, LeadNowhereAndStayApart) {
  std::set<std::string> names;
  const std::vector<std::string> hostile = {"",
                                            ".",
                                            "..",
                                            "../a",
                                            "/a",
                                            "a/b",
                                            "a\\b",
                                            std::string("a\0b", 3),
                                            "a\nb",
                                            "a\xc",
                                            "a:b",
                                            "a*?b",
                                            std::string(1000, 'a'),
                                            std::string(999, 'a'),
                                            ".hidden"};
  for (const std::string& name : hostile) {
    const std::string file = file_name_of(name);
    EXPECT_TRUE(names.insert(file).second) << file;
    EXPECT_EQ(file.find_first_of(std::string("/\\\0\n:*?", 8)), std::string::npos) << file;
    EXPECT_FALSE(file.empty() || file.starts_with('.')) << file;
    EXPECT_LT(file.size(), 200u);
  }
}

Scene thrown_ball() {
  return scene_from_text(
      R"({"format":"perp-scene","version":1,"name":"t","dimension":3,"bodies":[
      {"name":"ball","mass":1,"shape":{"type":"sphere","radius":1}}]})",
      "test");
}

// A scene that a program makes knows no bounds.
TEST(Simulation, AStateThatIsNotFiniteIsAFailedStep) {
  for (const bool keep_going : {false, true}) {
    Scene s = thrown_ball();
    s.bodies[0].velocity.x() = 1e300;
    s.bodies[0].shape = {};
    SimulationRequest request;
    request.solve.solver = "lemke";
    request.step = 1e9;
    request.duration = 5e9;
    request.keep_going = keep_going;
    const SimulationSummary summary = simulate(s, request);
    EXPECT_EQ(summary.failed_steps, 1);
    EXPECT_TRUE(summary.stopped);
    EXPECT_NE(summary.message.find("ball"), std::string::npos) << summary.message;
    EXPECT_TRUE(summary.final_state.bodies[0].position.allFinite());
  }
}

TEST(Simulation, AStepThatCannotBeMadeKeepsItsProblems) {
  Scene s = scene_from_text(
      R"({"format":"perp-scene","version":1,"name":"t","dimension":3,"gravity":[0,0,-9.81],"bodies":[
      {"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
      {"name":"ball","mass":1,"shape":{"type":"sphere","radius":1},"position":[0,0,1]},
      {"name":"point","mass":1,"inertia":[1,1,1]}]})",
      "test");
  s.bodies[2].velocity.x() = 1e300;
  SimulationRequest request;
  request.step = request.duration = 1e9;
  std::vector<StepReport> reports;
  int problems = 0;
  request.on_stage = [&](int, const Stage&, const VerifiedResult&) { ++problems; };
  request.on_step = [&](const StepReport& report) {
    reports.push_back(report);
    return true;
  };
  const SimulationSummary summary = simulate(s, request);
  EXPECT_EQ(summary.failed_steps, 1);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_FALSE(reports[0].solved);
  EXPECT_TRUE(reports[0].result.contacts.empty());
  EXPECT_EQ(std::ssize(reports[0].stages), summary.stages);
  EXPECT_GE(summary.stages, 1);
  EXPECT_EQ(problems, summary.stages);
}

TEST(Simulation, StepsBeyondReasonAreRefused) {
  for (const double h : {1e-300, 1e300, std::numeric_limits<double>::infinity()}) {
    SimulationRequest request;
    request.solve.solver = "lemke";
    request.step = request.duration = h;
    EXPECT_THROW(simulate(thrown_ball(), request), std::invalid_argument) << h;
  }
}

// The pairs that libccd does not end on, or not alive: the result is a distance along a unit
// vector.
TEST(Separation, OfVeryUnevenPairs) {
  const std::vector<Shape> shapes = {Sphere{0.5},
                                     Ellipsoid{{5e-4, 4e-4, 3e-4}},
                                     Ellipsoid{{1e-9, 1.0, 1e9}},
                                     Box{{0.5, 0.3, 1e9}},
                                     Cylinder{0.1, 0.15},
                                     Cylinder{1e-9, 1e9},
                                     Superquadric{{1e9, 1e-9, 1.0}, 0.01, 1.99}};
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      for (const double x : {0.0, 1e-9, 0.1}) {
        const PlacedShape pa{&a, Vector3d(x, 0, 0), Matrix3d::Identity()},
            pb{&b, Vector3d::Zero(), Matrix3d::Identity()};
        const Separation s = separation(pa, pb);
        EXPECT_NEAR(s.normal.norm(), 1.0, 1e-9) << shape_name(a) << " " << shape_name(b);
        EXPECT_TRUE(std::isfinite(s.gap));
      }
    }
  }
}

TEST(ObjFiles, LargeMeshesTakeNoSquareOfTheirSize) {
  std::string text;  // a cube whose faces are grids
  const int n = 60;
  for (int axis = 0; axis < 3; ++axis) {
    for (const int side : {0, n}) {
      for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
          int v[3];
          v[axis] = side;
          v[(axis + 1) % 3] = i;
          v[(axis + 2) % 3] = j;
          text += "v " + std::to_string(v[0]) + " " + std::to_string(v[1]) + " " +
                  std::to_string(v[2]) + "\n";
          if (i == 0 || j == 0) continue;
          text += "f -1 -2 " + std::to_string(-(n + 3)) + " " + std::to_string(-(n + 2)) + "\n";
        }
      }
    }
  }
  const Polyhedron cube = polyhedron_from_obj(text);
  EXPECT_EQ(cube.vertices.size(), 8u);
  EXPECT_EQ(cube.faces.size(), 6u);
}

// With a step of 3 s everything can meet everything, and a pyramid has ten rows for each contact.
TEST(Simulation, AStepThatEverythingCanCloseInIsAFailedStep) {
  SimulationRequest request;
  request.formulation = "stewart-trinkle";
  request.step = request.duration = 3.0;
  const SimulationSummary summary =
      simulate(load_scene("falling-boxes", {{"layers", 7}, {"across", 4}}), request);
  EXPECT_EQ(summary.failed_steps, 1);
  EXPECT_NE(summary.message.find("smaller step"), std::string::npos) << summary.message;
}

}  // namespace
}  // namespace perp::test
