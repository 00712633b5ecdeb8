#include <perp/bench/harness/words.hpp>

#include <fmt/format.h>

namespace perp {

namespace {

bool begins_with(const std::string& unknown, const std::string& contact) {
  return !contact.empty() && unknown.starts_with(contact) &&
         (unknown.size() == contact.size() || unknown[contact.size()] == '.');
}

}  // namespace

int worst_contact(const Problem& problem, const Residuals& residuals) {
  const int row = residuals.worst_is_constraint ? -1 : residuals.worst_index;
  const int contacts = static_cast<int>(problem.contacts.size());
  if (row < 0 || row >= problem.size() || contacts == 0) return -1;
  if (const auto* friction = std::get_if<FrictionContact>(&problem.data)) {
    const int contact = row / friction->dimension;
    return contact < contacts ? contact : -1;
  }
  if (problem.variables.empty()) return -1;
  const std::string& name = problem.variables[static_cast<std::size_t>(row)];
  for (int c = 0; c < contacts; ++c) {
    if (begins_with(name, problem.contacts[static_cast<std::size_t>(c)].name)) return c;
  }
  return -1;
}

std::string worst_in_words(const Problem& problem, const Residuals& residuals) {
  const int index = worst_contact(problem, residuals);
  const std::string name = worst_name(problem, residuals);
  if (index < 0) return name;
  const ContactInfo& contact = problem.contacts[static_cast<std::size_t>(index)];
  std::string what = "contact";
  if (!contact.body_a.empty() || !contact.body_b.empty()) {
    what += fmt::format(" of {} and {}", contact.body_a.empty() ? "?" : contact.body_a,
                        contact.body_b.empty() ? "?" : contact.body_b);
  }
  if (!contact.name.empty() && !begins_with(name, contact.name)) what = contact.name + ", " + what;
  return fmt::format("{} ({})", name, what);
}

}  // namespace perp
