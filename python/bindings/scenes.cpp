#include "bindings.hpp"

#include <pybind11/stl/filesystem.h>

#include <perp/bench/data/scenes.hpp>
#include <perp/formulations/dynamics/contacts.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/scenes/scene_json.hpp>

namespace perp::python {

namespace {

// One row a body.
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Get>
Rows rows_of(const State& state, int width, const Get& get) {
  Rows rows(std::ssize(state.bodies), width);
  for (Eigen::Index b = 0; b < rows.rows(); ++b) rows.row(b) = get(state.bodies[b]).transpose();
  return rows;
}

// Three numbers of each body in the state's own memory: who writes into them changes the state.
template <Vector3d BodyState::*Member>
py::object view_of(const py::object& self) {
  auto& bodies = self.cast<State&>().bodies;
  const std::vector<py::ssize_t> shape{std::ssize(bodies), 3},
      steps{sizeof(BodyState), sizeof(double)};
  return py::array_t<double>(shape, steps, bodies.empty() ? nullptr : (bodies[0].*Member).data(),
                             self);
}

Rows rows_from(const py::object& object, const std::string& field) {
  const Matrix numbers = matrix_from(object, field);
  return numbers.is_sparse() ? Rows(DenseMatrix(numbers.sparse())) : Rows(numbers.dense());
}

template <class Set>
void set_rows(State& state, const Rows& rows, int width, const std::string& field, const Set& set) {
  if (rows.rows() != std::ssize(state.bodies) || rows.cols() != width)
    throw py::value_error(field + ": expected " + std::to_string(state.bodies.size()) + " x " +
                          std::to_string(width) + " numbers");
  for (Eigen::Index b = 0; b < rows.rows(); ++b) set(state.bodies[b], rows.row(b).transpose());
}

Eigen::Vector4d wxyz(const BodyState& b) {
  const Quaterniond& q = b.orientation;
  return {q.w(), q.x(), q.y(), q.z()};
}

// What pickle keeps of a state: 13 numbers of each body.
py::tuple parts_of(const State& state) {
  const Rows rows = rows_of(state, 13, [](const BodyState& b) {
    Eigen::Matrix<double, 13, 1> numbers;
    numbers << b.position, wxyz(b), b.velocity, b.angular_velocity;
    return numbers;
  });
  return py::make_tuple(state.time, rows, state.given);
}

State state_from(const py::tuple& parts) {
  if (parts.size() != 3) throw py::value_error("the pickle is not one of a State");
  State state;
  state.time = parts[0].cast<double>();
  const auto rows = parts[1].cast<Rows>();
  state.bodies.resize(rows.rows());
  set_rows(state, rows, 13, "the pickle", [](BodyState& b, const auto& r) {
    b = {r.template segment<3>(0), Quaterniond(r[3], r[4], r[5], r[6]), r.template segment<3>(7),
         r.template segment<3>(10)};
  });
  state.given = parts[2].cast<std::vector<int>>();
  return state;
}

void bind_state(py::module_& m) {
  py::class_<State>(m, "State", "Positions and velocities of all bodies of a scene; SI.")
      .def_readwrite("time", &State::time, "s")
      .def_property(
          "position", [](const py::object& s) { return view_of<&BodyState::position>(s); },
          [](State& s, const py::object& rows) {
            set_rows(s, rows_from(rows, "position"), 3, "position",
                     [](BodyState& b, const auto& r) { b.position = r; });
          },
          "of the mass centres: bodies x 3, m, in the state's memory")
      .def_property(
          "orientation", [](const State& s) { return read_only(py::cast(rows_of(s, 4, wxyz))); },
          [](State& s, const py::object& rows) {
            set_rows(s, rows_from(rows, "orientation"), 4, "orientation",
                     [](BodyState& b, const auto& r) {
                       b.orientation = Quaterniond(r[0], r[1], r[2], r[3]);
                     });
          },
          "quaternions (w, x, y, z): bodies x 4; a copy, to be set as a whole")
      .def_property(
          "velocity", [](const py::object& s) { return view_of<&BodyState::velocity>(s); },
          [](State& s, const py::object& rows) {
            set_rows(s, rows_from(rows, "velocity"), 3, "velocity",
                     [](BodyState& b, const auto& r) { b.velocity = r; });
          },
          "bodies x 3, m/s, in the state's memory")
      .def_property(
          "angular_velocity",
          [](const py::object& s) { return view_of<&BodyState::angular_velocity>(s); },
          [](State& s, const py::object& rows) {
            set_rows(s, rows_from(rows, "angular_velocity"), 3, "angular_velocity",
                     [](BodyState& b, const auto& r) { b.angular_velocity = r; });
          },
          "bodies x 3, rad/s, world frame, in the state's memory")
      .def(py::pickle(&parts_of, &state_from))
      .def("__copy__", [](const State& s) { return State(s); });
}

void bind_contact(py::module_& m) {
  py::class_<ContactPoint3>(m, "Contact", "A point where two bodies touch or may touch.")
      .def_readonly("a", &ContactPoint3::a, "index of the body that the normal points into")
      .def_readonly("b", &ContactPoint3::b)
      .def_readonly("point", &ContactPoint3::point, "world, m")
      .def_readonly("normal", &ContactPoint3::normal, "unit vector, world")
      .def_readonly("gap", &ContactPoint3::gap, "m; below 0 the bodies overlap")
      .def_property_readonly("mu", [](const ContactPoint3& c) { return c.properties.mu; })
      .def_property_readonly("restitution",
                             [](const ContactPoint3& c) { return c.properties.restitution; })
      .def_property_readonly("key", &ContactPoint3::key,
                             "the same for the same point from step to step");
}

// Rows n, t and (3D) o of every contact: relative velocities are J v, impulses act by J'.
SparseMatrix contact_jacobian(const Scene& scene, const State& state,
                              const std::vector<ContactPoint3>& contacts) {
  check_state(scene, state);
  const Coordinates coordinates(scene);
  std::vector<Triplet> entries;
  int row = 0;
  for (const ContactPoint3& c : contacts) {
    check_contact(scene, c);
    const ContactFrame frame = contact_frame(c.normal, scene.dimension, c.properties.direction);
    std::vector<Vector3d> axes = {frame.n, frame.t};
    if (scene.dimension == 3) axes.push_back(frame.o);
    for (const Vector3d& axis : axes) {
      for (const auto& [body, sign] : {std::pair{c.a, 1.0}, std::pair{c.b, -1.0}}) {
        const Vector3d arm = c.point - state.bodies[body].position;
        coordinates.add_wrench(body, axis, arm.cross(axis), sign, row, entries);
      }
      ++row;
    }
  }
  SparseMatrix jacobian(row, coordinates.size());
  jacobian.setFromTriplets(entries.begin(), entries.end());
  return jacobian;
}

auto energy(double (*of)(const Scene&, const State&)) {
  return [of](const Scene& scene, const State& state) {
    check_state(scene, state);
    return of(scene, state);
  };
}

}  // namespace

void check_state(const Scene& scene, const State& state) {
  const auto expect = [](const char* what, std::ptrdiff_t has, std::ptrdiff_t expected) {
    if (has != expected)
      throw py::value_error("state: is of another scene: it has " + std::to_string(has) + " " +
                            what + ", the scene " + std::to_string(expected));
  };
  expect("bodies", std::ssize(state.bodies), std::ssize(scene.bodies));
  expect("impulses", std::ssize(state.given), std::ssize(scene.impulses));
}

void check_contact(const Scene& scene, const ContactPoint3& contact) {
  for (const int body : {contact.a, contact.b}) {
    if (body < 0 || body >= std::ssize(scene.bodies))
      throw py::value_error("contact: is of another scene, which has a body " +
                            std::to_string(body));
  }
}

void bind_scenes(py::module_& m) {
  py::class_<Scene, std::shared_ptr<Scene>>(m, "Scene",
                                            "Bodies, joints, loads and rules of contact; SI.")
      .def_readonly("name", &Scene::name)
      .def_readonly("description", &Scene::description)
      .def_readonly("dimension", &Scene::dimension)
      .def_readonly("gravity", &Scene::gravity, "m/s^2")
      .def_readonly("step", &Scene::step, "length of a step, s")
      .def_readonly("duration", &Scene::duration, "s")
      .def_readonly("parameters", &Scene::parameters)
      .def_property_readonly(
          "formulation", [](const Scene& s) { return default_formulation(s); },
          "the one that is taken if none is named")
      .def_property_readonly(
          "bodies",
          [](const Scene& s) {
            py::list bodies;
            for (const Body& b : s.bodies) {
              py::dict d;
              d["name"] = b.name;
              d["fixed"] = b.fixed;
              d["mass"] = b.mass;
              d["inertia"] = b.inertia;
              bodies.append(std::move(d));
            }
            return bodies;
          },
          "dicts with name, fixed, mass (kg) and inertia (principal moments, kg m^2)")
      .def("initial_state", [](const Scene& s) { return initial_state(s); })
      .def_static(
          "from_json",
          [](const std::string& text, const py::kwargs& parameters) {
            return std::make_shared<Scene>(scene_from_text(text, "text", numbers_from(parameters)));
          },
          py::arg("text"), "a scene from a perp-scene document; InputError names the fault")
      .def("__repr__", [](const Scene& s) {
        return "<perp.Scene " + s.name + ", " + std::to_string(s.bodies.size()) + " bodies>";
      });
  m.def(
      "scene",
      [](const std::filesystem::path& what, const py::kwargs& parameters) {
        const auto numbers = numbers_from(parameters);
        const py::gil_scoped_release release;
        return std::make_shared<Scene>(load_scene(what.string(), numbers));
      },
      py::arg("name_or_file"),
      "A scene by name or from a file; its parameters are keywords. InputError names the fault.");
  bind_state(m);
  bind_contact(m);
  m.def(
      "find_contacts",
      [](const Scene& scene, const State& state, double h) {
        check_state(scene, state);
        return find_contacts(scene, state, h);
      },
      py::arg("scene"), py::arg("state"), py::arg("h"),
      "All contacts that can close within h seconds: a list of Contact.");
  m.def("contact_jacobian", &contact_jacobian, py::arg("scene"), py::arg("state"),
        py::arg("contacts"),
        "CSC matrix with the rows n, t1[, t2] of every contact: relative velocity = J v.");
  m.def(
      "inverse_mass_matrix",
      [](const Scene& scene, const State& state) {
        check_state(scene, state);
        return inverse_mass_matrix(scene, state, Coordinates(scene));
      },
      py::arg("scene"), py::arg("state"), "M^-1, block diagonal, world frame: a CSC matrix.");
  m.def(
      "free_velocity",
      [](const Scene& scene, const State& state, double h) {
        check_state(scene, state);
        return free_velocity(scene, state, Coordinates(scene), h);
      },
      py::arg("scene"), py::arg("state"), py::arg("h"),
      "Generalised velocity after a step without contact: 6 numbers a moving body (3 in 2D).");
  m.def(
      "moved",
      [](const Scene& scene, const State& state, const py::object& velocity, double h) {
        check_state(scene, state);
        const Coordinates coordinates(scene);
        const Vector v = vector_from(velocity, "velocity");
        if (v.size() != coordinates.size())
          throw py::value_error("velocity: length is " + std::to_string(v.size()) + ", expected " +
                                std::to_string(coordinates.size()));
        return moved(scene, state, coordinates, v, h);
      },
      py::arg("scene"), py::arg("state"), py::arg("velocity"), py::arg("h"),
      "The state after moving for h seconds with a generalised velocity.");
  m.def("kinetic_energy", energy(&kinetic_energy), py::arg("scene"), py::arg("state"), "J");
  m.def("potential_energy", energy(&potential_energy), py::arg("scene"), py::arg("state"), "J");
}

}  // namespace perp::python
