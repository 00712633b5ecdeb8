#include <perp/problems/scenes/repetition.hpp>

#include <fmt/format.h>
#include <cmath>

namespace perp {

namespace {

constexpr std::size_t kMaxIndices = 10;  // of one repetition
constexpr double kMaxRepeated =
    1e7;                        // numbers and words that the repetitions of a list may stand for
constexpr double kTurn = 30.0;  // numbers that one pass of a loop counts for

// How many numbers, words and other items a value holds; a long word counts for several.
double size_of(const json::Value& value) {
  double size = 1.0;
  if (const auto* text = value.get_if<std::string>())
    size += static_cast<double>(text->size()) / 16;
  if (const auto* numbers = value.get_if<json::Numbers>())
    size += static_cast<double>(numbers->values.size());
  if (const auto* array = value.get_if<json::Array>()) {
    for (const json::Value& item : *array) size += size_of(item);
  }
  if (const auto* object = value.get_if<json::Object>()) {
    for (const json::Member& member : *object) size += size_of(member.second);
  }
  return size;
}

// Makes the items that {"repeat": {"i": COUNT, ...}, "of": ITEM} stands for. A count may depend on
// the indices before it, so the work is not known before; it is counted as it is done.
class Repetition {
 public:
  Repetition(const Field& item, const Names& names, double& work, const MakeItem& make)
      : item_(item), scope_(names), work_(work), make_(make), size_(size_of(item["of"].value())) {
    item.only({"repeat", "of"});
    counts_ = item["repeat"].value().get_if<json::Object>();
    if (!counts_) item["repeat"].expected("an object");
    if (counts_->size() > kMaxIndices)
      item["repeat"].fail(fmt::format("has {} indices, at most {}", counts_->size(), kMaxIndices));
    for (const json::Member& count : *counts_) fields_.push_back(item["repeat"][count.first]);
  }

  void run(std::size_t level = 0) {
    work_ += level == counts_->size() ? size_ : kTurn;
    if (work_ > kMaxRepeated)
      item_["repeat"].fail(fmt::format("stands for more than {:g} numbers", kMaxRepeated));
    if (level == counts_->size()) {
      make_(item_["of"], scope_);
      return;
    }
    const std::string& index = (*counts_)[level].first;
    const Field& field = fields_[level];
    const double count = number(field, scope_);
    if (count != std::floor(count) || count < 0 || count > kMaxRepeats)
      field.fail(fmt::format("{} is not an integer in 0..{}", count, kMaxRepeats));
    const auto outer = scope_.find(index);
    const bool hides = outer != scope_.end();
    const double hidden = hides ? outer->second : 0.0;
    for (int k = 0; k < static_cast<int>(count); ++k) {
      scope_[index] = k;
      run(level + 1);
    }
    if (hides) {
      scope_[index] = hidden;
    } else {
      scope_.erase(index);
    }
  }

 private:
  const Field& item_;
  Names scope_;
  double& work_;
  const MakeItem& make_;
  double size_;
  const json::Object* counts_;
  std::vector<Field> fields_;  // of the counts
};

}  // namespace

void each(const Field& list, const Names& names, int most, const MakeItem& make) {
  int made = 0;
  double work = 0.0;
  const MakeItem counted = [&](const Field& item, const Names& scope) {
    if (++made > most) list.fail(fmt::format("has more than {} items", most));
    make(item, scope);
  };
  for (const Field& item : list.items()) {
    if (item.has("repeat")) {
      Repetition(item, names, work, counted).run();
    } else {
      counted(item, names);
    }
  }
}

}  // namespace perp
