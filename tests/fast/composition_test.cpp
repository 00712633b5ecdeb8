// Models by their three choices: what goes together, what does not, and what a name stands for.
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/scenes/scene_json.hpp>

#include <algorithm>
#include <set>

namespace perp::test {
namespace {

// A cube at rest on a slab, both of them boxes: every gap of the beginning of a step measures it.
Scene cube_on_slab(const std::string& properties = R"("mu":0.5)") {
  return scene_from_text(R"({"format":"perp-scene","version":1,"name":"cube","dimension":3,
    "gravity":[0,0,-10],"contact":{)" +
                             properties + R"(},"bodies":[
      {"name":"slab","fixed":true,"shape":{"type":"box","half":[4,4,1]},"position":[0,0,-1]},
      {"name":"cube","mass":2,"shape":{"type":"box","half":[0.5,0.5,0.5]},
       "position":[0,0,0.5]}]})",
                         "cube");
}

std::string complaint(const std::string& formulation) {
  try {
    make_formulation(formulation);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

std::set<std::string> names_of(std::vector<std::string_view> SteppingEntry::*list) {
  std::set<std::string> names;
  for (const SteppingEntry& s : steppings()) names.insert((s.*list).begin(), (s.*list).end());
  return names;
}

TEST(Compositions, AreRefusedWithAReasonWhereTheyAreNotListed) {
  const std::vector<Composition> valid = compositions();
  int refused = 0;
  for (const std::string& gap : names_of(&SteppingEntry::gaps)) {
    for (const std::string& law : names_of(&SteppingEntry::laws)) {
      for (const SteppingEntry& stepping : steppings()) {
        const Composition c{gap, law, std::string(stepping.name)};
        const bool listed = std::find(valid.begin(), valid.end(), c) != valid.end();
        const std::string why = complaint(c.text());
        EXPECT_EQ(why.empty(), listed) << c.text();
        if (listed) continue;
        ++refused;
        EXPECT_NE(why.find(c.text()), std::string::npos) << why;
        EXPECT_NE(why.find(" take "), std::string::npos) << why;
      }
    }
  }
  // 2 gaps x (4 laws x 2 levels, 5 laws of the theta-method, 5 of arms, compliant contact), 3
  // implicit gaps, 2 springs, arms without contacts.
  EXPECT_EQ(valid.size(), 44u);
  EXPECT_EQ(refused, 6 * 8 * 6 - 44);
}

TEST(Compositions, UnknownPartsAreNamed) {
  EXPECT_NE(complaint("linear+pyramid+position-level").find("gap \"linear\""), std::string::npos);
  EXPECT_NE(complaint("ratio+cone+position-level").find("law \"cone\""), std::string::npos);
  EXPECT_NE(complaint("ratio+pyramid+level").find("stepping \"level\""), std::string::npos);
  EXPECT_NE(complaint("ratio+pyramid").find("GAP+LAW+STEPPING"), std::string::npos);
  EXPECT_NE(complaint("stewart-trinkle:gap=nearest-points").find("end of a step"),
            std::string::npos);
}

bool is_of_the_beginning(const Composition& c) {
  return c.stepping.ends_with("-level") || c.stepping == "theta-method";
}

// Every law with every gap, on both levels and by the theta-method, keeps at rest what rests.
TEST(Compositions, OfTheBeginningOfAStepKeepACubeAtRest) {
  const Scene scene = cube_on_slab();
  int count = 0;
  for (const Composition& c : compositions()) {
    if (!is_of_the_beginning(c)) continue;
    SimulationRequest request;
    request.formulation = c.text();
    request.step = 0.01;
    request.duration = 0.2;
    const SimulationSummary s = simulate(scene, request);
    const BodyState& cube = s.final_state.bodies[1];
    EXPECT_EQ(s.failed_steps, 0) << c.text();
    EXPECT_LT((cube.position - Vector3d(0, 0, 0.5)).norm(), c.law == "compliant" ? 3e-5 : 1e-6)
        << c.text();  // compliant contact sinks in
    EXPECT_LT(cube.velocity.norm() + cube.angular_velocity.norm(), 1e-5) << c.text();
    ++count;
  }
  EXPECT_EQ(count, 28);
}

// Sliding under mu = 1/2 and g = 10 m/s^2: 2 m/s are 1 m/s after 0.2 s. The relaxation, whose cube
// glides a little above the slab, is the same but for terms of the step.
TEST(Compositions, OfTheBeginningOfAStepAgreeOnSliding) {
  Scene scene = cube_on_slab();
  scene.bodies[1].velocity = Vector3d(2, 0, 0);
  for (const Composition& c : compositions()) {
    if (!is_of_the_beginning(c)) continue;
    SimulationRequest request;
    request.formulation = c.text();
    request.step = 0.005;
    request.duration = 0.2;
    const SimulationSummary s = simulate(scene, request);
    const bool convex =
        c.law == "convex-relaxation" || c.law == "max-dissipation" || c.law == "compliant";
    EXPECT_EQ(s.failed_steps, 0) << c.text();
    EXPECT_NEAR(s.final_state.bodies[1].velocity.x(), 1.0, convex ? 0.1 : 1e-5) << c.text();
  }
}

// The problem that a step begins with, without the name of its formulation.
std::string beginning(const std::string& formulation, const Scene& scene) {
  const auto model = make_formulation(formulation);
  if (refusal_of(*model, scene)) return "refused";
  StageOrResult begun = model->begin(scene, initial_state(scene), 0.01);
  auto* stage = std::get_if<Stage>(&begun);
  if (!stage) return "";
  stage->problem.source = {};
  std::string text = problem_to_text(stage->problem);
  for (const std::uint64_t key : stage->keys) text += " " + std::to_string(key);
  return text;
}

TEST(Names, StandForTheirCompositions) {
  int posed = 0;
  for (const FormulationEntry& f : formulation_registry()) {
    std::string composed = f.composition.text();
    for (const auto& [key, value] : f.fixed) composed += ":" + key + "=" + value;
    for (const char* scene : {"four-ellipsoids", "box-stack", "four-bar-contact", "arm-friction"}) {
      const Scene s = load_scene(scene, {});
      const std::string expected = beginning(std::string(f.name), s);
      EXPECT_EQ(beginning(composed, s), expected) << f.name << " " << scene;
      posed += expected.size() > 10;
    }
  }
  EXPECT_GE(posed, 12);  // every name but that of springs
}

TEST(Names, FollowTheGap) {
  const auto name = [](const char* text) { return std::string(make_formulation(text)->name()); };
  EXPECT_EQ(name("stewart-trinkle"), "stewart-trinkle");
  EXPECT_EQ(name("stewart-trinkle:gap=ratio"), "ratio-metric");
  EXPECT_EQ(name("ratio-metric:gap=linearised"), "stewart-trinkle");
  EXPECT_EQ(name("coulomb-implicit:gap=ratio"), "ratio+exact-cone+position-level");
  EXPECT_EQ(name("linearised+pyramid+position-level"), "linearised+pyramid+position-level");
}

TEST(Names, KeepWhatTheyStandFor) {
  EXPECT_NE(complaint("max-dissipation-impulse:velocities=kept").find("velocities=eliminated"),
            std::string::npos);
  EXPECT_EQ(complaint("linearised+max-dissipation+velocity-level:velocities=kept"), "");
}

TEST(Settings, OfModelsSayWhatTheyMayBe) {
  EXPECT_NE(complaint("stewart-trinkle:edges=5").find("an even number from 4 to 60"),
            std::string::npos);
  EXPECT_NE(complaint("anitescu-tasora:edges=4").find("none of that name; it has gap, rows, rest"),
            std::string::npos);
  EXPECT_NE(complaint("penalty:stiffness=0").find("a number above 0"), std::string::npos);
  EXPECT_NE(complaint("stewart-trinkle:velocities").find("eliminated or kept"), std::string::npos);
  for (const FormulationEntry& f : formulation_registry()) {
    for (const SettingText& s : formulation_settings(std::string(f.name))) {
      EXPECT_EQ(complaint(std::string(f.name) + ":" + s.name + "=" + s.value), "") << f.name;
      EXPECT_NE(complaint(std::string(f.name) + ":" + s.name + "=-1x"), "") << f.name << s.name;
    }
  }
}

// Whatever a model does not treat is refused, and named.
TEST(Capabilities, AreAllLookedAt) {
  const auto why = [](const std::string& formulation, const std::string& properties) {
    return refusal_of(*make_formulation(formulation), cube_on_slab(properties)).value_or("");
  };
  EXPECT_NE(why("anitescu-potra", R"("stiffness":1e4)").find("stiffness"), std::string::npos);
  EXPECT_EQ(why("stewart-trinkle", R"("stiffness":1e4)"), "");
  EXPECT_NE(why("equivalent-contact-point", R"("restitution":0.5)").find("restitution"),
            std::string::npos);
  EXPECT_NE(why("coulomb-implicit", R"("mu":0.5,"e_r":0.1)").find("e_r"), std::string::npos);
  EXPECT_EQ(why("equivalent-contact-point", R"("mu":0.5,"e_r":0.1)"), "");
  EXPECT_NE(why("penalty", R"("mu":0.5,"e_o":0.5)").find("e_t"), std::string::npos);
  EXPECT_NE(why("stewart-trinkle", R"("viscous":0.5)").find("viscous"), std::string::npos);
  EXPECT_EQ(why("max-dissipation-step", R"("viscous":0.5)"), "");
  const Scene jointed = load_scene("four-bar-contact", {});
  EXPECT_NE(refusal_of(*make_formulation("penalty"), jointed).value_or("").find("joints"),
            std::string::npos);
  for (const Composition& c : compositions()) {
    EXPECT_EQ(make_formulation(c.text())->capabilities().held_contacts,
              c.stepping == "velocity-level");
  }
}

// Unknowns are told apart, and named: velocities, joints, normals, friction and slips.
TEST(UnknownLayout, KeysOfAStepAreDistinct) {
  const Scene scene = scene_from_text(R"({"format":"perp-scene","version":1,"name":"joined",
    "dimension":3,"gravity":[0,0,-10],"contact":{"mu":0.5},"bodies":[
      {"name":"slab","fixed":true,"shape":{"type":"box","half":[4,4,1]},"position":[0,0,-1]},
      {"name":"left","mass":2,"shape":{"type":"box","half":[0.5,0.5,0.5]},"position":[-1,0,0.5]},
      {"name":"right","mass":1,"shape":{"type":"box","half":[0.5,0.5,0.5]},"position":[1,0,0.5]}],
    "joints":[{"name":"hinge","type":"revolute","a":"left","b":"right","anchor":[0,0,0.5],
      "axis":[0,1,0]}]})",
                                      "joined");
  const auto check = [&](const std::string& name, bool velocities, bool joints) {
    const auto model = make_formulation(name);
    const StageOrResult begun = model->begin(scene, initial_state(scene), 0.01);
    ASSERT_TRUE(std::holds_alternative<Stage>(begun)) << name;
    const Stage& stage = std::get<Stage>(begun);
    const auto n = static_cast<std::size_t>(stage.problem.size());
    EXPECT_EQ(stage.keys.size(), n) << name;
    EXPECT_EQ(std::set<std::uint64_t>(stage.keys.begin(), stage.keys.end()).size(), n) << name;
    const std::set<std::string> names(stage.problem.variables.begin(),
                                      stage.problem.variables.end());
    EXPECT_EQ(names.size(), n) << name;
    EXPECT_EQ(names.contains("velocity11"), velocities) << name;
    EXPECT_EQ(names.contains("joint4"), joints) << name;
  };
  check("stewart-trinkle", false, true);
  check("stewart-trinkle:velocities=kept", true, true);
  check("coulomb-implicit", false, false);
  check("anitescu-tasora", true, false);
  check("anitescu-tasora:velocities=eliminated", false, true);
}

}  // namespace
}  // namespace perp::test
