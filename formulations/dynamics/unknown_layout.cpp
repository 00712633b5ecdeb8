#include <perp/formulations/dynamics/unknown_layout.hpp>

#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace perp {

namespace {

std::string friction_name(const std::string& contact, int direction) {
  return contact + ".friction" + std::to_string(direction);
}

}  // namespace

std::uint64_t velocity_key(int coordinate) {
  return (1ULL << 62) + static_cast<std::uint64_t>(coordinate);
}

std::uint64_t joint_key(int row) { return (2ULL << 62) + static_cast<std::uint64_t>(row); }

std::uint64_t contact_key(const ContactPoint3& contact, int component) {
  return contact.key() * 64 + static_cast<std::uint64_t>(component);
}

std::uint64_t joint_friction_key(int joint, int component) {
  return joint_key(0) + (1ULL << 40) + 4 * static_cast<std::uint64_t>(joint) +
         static_cast<std::uint64_t>(component);
}

UnknownBlock UnknownLayout::add(std::vector<std::string> names, std::vector<std::uint64_t> keys,
                                double unit) {
  if (names.size() != keys.size()) throw std::logic_error("as many keys as names");
  const UnknownBlock block{size(), static_cast<int>(names.size()), unit};
  std::move(names.begin(), names.end(), std::back_inserter(names_.edit()));
  keys_.insert(keys_.end(), keys.begin(), keys.end());
  return block;
}

int UnknownLayout::add(std::string name, std::uint64_t key) {
  names_.push_back(std::move(name));
  keys_.push_back(key);
  return size() - 1;
}

UnknownBlock UnknownLayout::add_velocities(const ContactSystem& system) {
  std::vector<std::string> names;
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < system.velocities(); ++i) {
    names.push_back(fmt::format("velocity{}", i));
    keys.push_back(velocity_key(i));
  }
  return add(std::move(names), std::move(keys), system.velocity_scale());
}

UnknownBlock UnknownLayout::add_joints(const ContactSystem& system) {
  std::vector<std::string> names;
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < system.joint_count(); ++i) {
    names.push_back(fmt::format("joint{}", i));
    keys.push_back(joint_key(i));
  }
  return add(std::move(names), std::move(keys), system.impulse_scale());
}

UnknownBlock UnknownLayout::add_normals(const ContactSystem& system) {
  std::vector<int> all(static_cast<std::size_t>(system.contacts()));
  std::iota(all.begin(), all.end(), 0);
  return add_normals(system, all);
}

UnknownBlock UnknownLayout::add_normals(const ContactSystem& system,
                                        const std::vector<int>& contacts) {
  std::vector<std::string> names;
  std::vector<std::uint64_t> keys;
  for (const int c : contacts) {
    names.push_back(system.contact_name(c) + ".normal");
    keys.push_back(contact_key(system.contact(c), 0));
  }
  return add(std::move(names), std::move(keys), system.impulse_scale());
}

UnknownBlock UnknownLayout::add_friction(const ContactSystem& system) {
  std::vector<std::string> names;
  std::vector<std::uint64_t> keys;
  for (int c = 0; c < system.contacts(); ++c) {
    const std::string contact = system.contact_name(c);
    const int edges = system.friction_end(c) - system.friction_begin(c);
    const int torsion = system.torsion_begin(c) - system.friction_begin(c);
    for (int e = 0; e < edges; ++e) {
      names.push_back(e < torsion ? friction_name(contact, e)
                                  : contact + ".torsion" + std::to_string(e - torsion));
      keys.push_back(contact_key(system.contact(c), 1 + e));
    }
  }
  return add(std::move(names), std::move(keys), system.impulse_scale());
}

UnknownBlock UnknownLayout::add_slips(const ContactSystem& system,
                                      const std::vector<int>& contacts) {
  std::vector<std::string> names;
  std::vector<std::uint64_t> keys;
  for (const int c : contacts) {
    names.push_back(system.contact_name(c) + ".slip");
    keys.push_back(contact_key(system.contact(c), kSlipComponent));
  }
  return add(std::move(names), std::move(keys), system.velocity_scale());
}

UnknownBlock UnknownLayout::add_local_impulses(const ContactSystem& system) {
  std::vector<std::string> names;
  std::vector<std::uint64_t> keys;
  for (int c = 0; c < system.contacts(); ++c) {
    const std::string contact = system.contact_name(c);
    for (int i = 0; i < system.dimension(); ++i) {
      names.push_back(i == 0 ? contact + ".normal" : friction_name(contact, i - 1));
      keys.push_back(contact_key(system.contact(c), i));
    }
  }
  for (const int joint : system.rubbing_joints()) {
    const std::string& name = system.scene().joints[static_cast<std::size_t>(joint)].name;
    for (int i = 0; i < system.dimension(); ++i) {
      names.push_back(fmt::format("{}.{}", name,
                                  i == 0   ? "bound"
                                  : i == 1 ? "friction"
                                           : "nothing"));
      keys.push_back(joint_friction_key(joint, i));
    }
  }
  return add(std::move(names), std::move(keys), system.impulse_scale());
}

void UnknownLayout::name(Stage& stage) const {
  stage.problem.variables = names_;
  stage.keys = keys_;
}

}  // namespace perp
