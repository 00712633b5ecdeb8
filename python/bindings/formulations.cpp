#include "python_formulations.hpp"

#include <map>
#include <perp/formulations/registry.hpp>

namespace perp::python {

namespace {

std::map<std::string, std::shared_ptr<py::object>>& makers() {
  static std::map<std::string, std::shared_ptr<py::object>> all;
  return all;
}

// A formulation whose begin and advance are those of a Python object.
class PythonFormulation final : public Formulation {
 public:
  PythonFormulation(std::string name, py::object model)
      : name_(std::move(name)), model_(shared_object(std::move(model))) {}

  std::string_view name() const override { return name_; }

  Capabilities capabilities() const override {
    Capabilities c;
    c.joints = c.restitution = c.compliant_contacts = c.elliptic_friction = false;
    const py::gil_scoped_acquire gil;
    if (!py::hasattr(*model_, "treats")) return c;
    for (const py::handle item : model_->attr("treats")) set(c, item.cast<std::string>());
    return c;
  }

  std::optional<std::string> refusal(const Scene& scene) const override {
    const py::gil_scoped_acquire gil;
    if (!py::hasattr(*model_, "refusal")) return {};
    return model_->attr("refusal")(shown(scene)).cast<std::optional<std::string>>();
  }

  StageOrResult begin(const Scene& scene, const State& state, double h,
                      const HeldContacts&) override {
    const py::gil_scoped_acquire gil;
    scene_ = &scene;
    start_ = state;
    return answer_of(model_->attr("begin")(shown(scene), state, h));
  }

  StageOrResult advance(const Answer& answer) override {
    const py::gil_scoped_acquire gil;
    return answer_of(model_->attr("advance")(py::cast(answer.z)));
  }

 private:
  // The scene belongs to whoever simulates, for as long as the step lasts.
  static py::object shown(const Scene& scene) { return py::cast(std::make_shared<Scene>(scene)); }

  static void set(Capabilities& c, const std::string& feature) {
    const std::map<std::string, bool Capabilities::*> features = {
        {"joints", &Capabilities::joints},
        {"joint_friction", &Capabilities::joint_friction},
        {"bearings", &Capabilities::bearings},
        {"restitution", &Capabilities::restitution},
        {"compliant_contacts", &Capabilities::compliant_contacts},
        {"viscous_friction", &Capabilities::viscous_friction},
        {"torsional_friction", &Capabilities::torsional_friction},
        {"elliptic_friction", &Capabilities::elliptic_friction}};
    const auto at = features.find(feature);
    if (at == features.end())
      throw py::value_error("treats: \"" + feature + "\" is no feature of scenes");
    c.*(at->second) = true;
  }

  StageOrResult answer_of(const py::object& told) const {
    if (py::isinstance<Stage>(told)) return told.cast<Stage>();
    if (!py::isinstance<StepResult>(told))
      throw py::type_error("a formulation returned neither perp.Stage nor perp.StepResult");
    auto result = told.cast<StepResult>();
    check_state(*scene_, result.state);
    for (ContactResult& c : result.contacts) finish(result.state, c);
    return result;
  }

  // The frame of the scene's dimension, and the motion at the end of the step.
  void finish(const State& end, ContactResult& c) const {
    check_contact(*scene_, c.contact);
    c.frame = contact_frame(c.contact.normal, scene_->dimension, c.contact.properties.direction);
    const auto velocity = [&](int body) {
      const BodyState& moved = end.bodies[static_cast<std::size_t>(body)];
      const Vector3d arm = c.contact.point - start_.bodies[static_cast<std::size_t>(body)].position;
      return Vector3d(moved.velocity + moved.angular_velocity.cross(arm));
    };
    const Vector3d v = velocity(c.contact.a) - velocity(c.contact.b);
    c.v_n = v.dot(c.frame.n);
    c.slip = (v - c.v_n * c.frame.n).norm();
    c.mode = c.p_n <= 0         ? ContactMode::kOpen
             : c.slip <= kStick ? ContactMode::kStick
                                : ContactMode::kSlide;
  }

  static constexpr double kStick = 1e-6;  // m/s

  std::string name_;
  std::shared_ptr<py::object> model_;
  const Scene* scene_ = nullptr;  // of the present step, with the state at which it began
  State start_;
};

}  // namespace

std::unique_ptr<Formulation> make_formulation_for_python(const std::string& text) {
  const auto at = makers().find(text.substr(0, text.find(':')));
  if (at == makers().end()) return make_formulation(text);
  const py::gil_scoped_acquire gil;
  py::dict options;
  if (const std::size_t colon = text.find(':'); colon != std::string::npos) {
    for (const auto& [key, value] : split_settings(text.substr(colon + 1)))
      options[py::str(key)] = value;
  }
  return std::make_unique<PythonFormulation>(at->first, (*at->second)(**options));
}

void bind_formulations(py::module_& m) {
  py::class_<Stage>(m, "Stage", "A problem of a step, which a formulation poses.")
      .def(py::init([](const std::string& name, const Problem& problem, const py::iterable& keys) {
             std::vector<std::uint64_t> numbers;
             for (const py::handle key : keys) {
               const py::object whole = py::module_::import("operator").attr("index")(key);
               numbers.push_back(whole.cast<std::uint64_t>());
             }
             return Stage{name, problem, numbers, {}};
           }),
           py::arg("name"), py::arg("problem"), py::arg("keys") = py::tuple(),
           "keys: one number for each unknown, the same for the same unknown of the next step;\n"
           "answers are carried over by them as starts")
      .def_readonly("name", &Stage::name)
      .def_property_readonly("problem",
                             [](const Stage& s) { return std::make_shared<Problem>(s.problem); });
  py::class_<StepResult>(m, "StepResult", "The end of a step.")
      .def(py::init([](const State& state, const std::string& rejected) {
             StepResult r;
             r.state = state;
             r.rejected = rejected;
             return r;
           }),
           py::arg("state"), py::kw_only(), py::arg("rejected") = "",
           "rejected: why the answer, though it solves the problem, is no step of the model")
      .def_readonly("state", &StepResult::state)
      .def(
          "add_contact",
          [](StepResult& r, const ContactPoint3& contact, double p_n, double p_t, double p_o) {
            ContactResult c;
            c.contact = contact;
            c.p_n = p_n;
            c.p_t = p_t;
            c.p_o = p_o;
            r.contacts.push_back(c);
          },
          py::arg("contact"), py::arg("p_n"), py::arg("p_t") = 0.0, py::arg("p_o") = 0.0,
          "what a contact did, impulses in N s: it is recorded");
  m.def(
      "register_model",
      [](const std::string& name, const py::object& maker) {
        if (name.empty() || name.find_first_of(":+, ") != std::string::npos)
          throw py::value_error("formulation \"" + name + "\": is no name");
        for (const FormulationEntry& entry : formulation_registry()) {
          if (entry.name == name)
            throw py::value_error("formulation \"" + name + "\": is one of perp");
        }
        makers()[name] = shared_object(maker);
      },
      py::arg("name"), py::arg("maker"));
}

}  // namespace perp::python
