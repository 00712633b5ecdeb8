// What a formulation keeps from step to step belongs to scenes by their content, not by the place
// where they lie.
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/io/problem_json.hpp>

#include <optional>

namespace perp::test {
namespace {

// Another scene with bodies and shapes of the same names: heavier, with other friction and gravity.
Scene altered(Scene scene) {
  scene.gravity *= 0.5;
  scene.contact.mu += 0.125;
  for (PairRule& rule : scene.pairs) rule.properties.mu += 0.125;
  for (Body& body : scene.bodies) {
    body.mass *= 2.0;
    body.inertia *= 2.0;
  }
  for (Joint& joint : scene.joints) joint.coulomb *= 2.0;
  return scene;
}

// What a step begins with, as text.
std::string beginning(Formulation& formulation, const Scene& scene, double time = 0.0) {
  State state = initial_state(scene);
  state.time = time;
  const StageOrResult begun = formulation.begin(scene, state, scene.step);
  if (const auto* stage = std::get_if<Stage>(&begun)) {
    std::string text = problem_to_text(stage->problem);
    for (const std::uint64_t key : stage->keys) text += std::to_string(key) + " ";
    return text;
  }
  return "";
}

std::vector<Scene> scenes_of(const Formulation& formulation) {
  std::vector<Scene> list;
  for (const char* name : {"sliding-cube", "disc", "arm-friction", "four-bar", "two-spheres",
                           "spinning-sphere", "box-on-ramp", "tumbling-cube"}) {
    const Scene scene = load_scene(name, {});
    if (!refusal_of(formulation, scene)) list.push_back(scene);
  }
  return list;
}

class EveryFormulation : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryFormulation, TellsScenesApartThatLieAtOnePlace) {
  const FormulationEntry& entry = formulation_registry()[GetParam()];
  const std::string name(entry.name);
  int posed = 0;
  for (const Scene& scene : scenes_of(*make_formulation(name))) {
    if (posed == 2) break;  // enough
    const Scene other = altered(scene);
    const std::string expected = beginning(*make_formulation(name), other);
    if (!expected.empty()) {
      EXPECT_NE(beginning(*make_formulation(name), scene), expected) << scene.name;
    }
    posed += expected != "";
    const auto formulation = make_formulation(name);
    std::optional<Scene> place(scene);
    (void)beginning(*formulation, *place);
    place.emplace(other);
    EXPECT_EQ(beginning(*formulation, *place), expected) << entry.name << " " << scene.name;
    // Equal scenes may lie anywhere, and die between two steps.
    place.reset();
    const Scene copy = other;
    EXPECT_EQ(beginning(*formulation, copy), expected) << entry.name << " " << scene.name;
  }
  // Of a formulation without kinds no step has a problem.
  EXPECT_EQ(posed > 0, !kinds_of(entry.composition).empty()) << entry.name;
}

INSTANTIATE_TEST_SUITE_P(Formulations, EveryFormulation,
                         testing::Range(std::size_t{0}, formulation_registry().size()),
                         [](const auto& tested) {
                           std::string name(formulation_registry()[tested.param].name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Scene, IsComparedByItsContent) {
  const Scene scene = load_scene("two-ellipsoids", {});
  Scene copy = scene;
  EXPECT_TRUE(copy == scene);
  copy.bodies[1].position[2] += 1e-12;
  EXPECT_FALSE(copy == scene);
  copy = scene;
  std::get<Ellipsoid>(copy.bodies.back().shape).half[0] += 1e-12;
  EXPECT_FALSE(copy == scene);
}

}  // namespace
}  // namespace perp::test
