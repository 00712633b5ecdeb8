#include <perp/problems/io/qps.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <perp/problems/io/foreign_model.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <set>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kInfinite = 1e20;  // bounds from here on are infinite

struct Row {
  char type = 'N';
  std::optional<double> rhs, range;
  std::vector<std::pair<int, double>> entries;  // by column
};

struct Column {
  std::string name;
  double lower = 0.0, upper = kInfinity;
  bool lower_given = false, upper_given = false;
  std::set<int> rows;  // in which it has an entry
};

// The contents of the file, from which the problem is made.
struct Model {
  std::string name;
  bool maximise = false;
  int objective = -1, relaxed = 0;  // row; variables whose integrality is left out
  std::vector<Row> rows;
  std::vector<Column> columns;
  std::map<std::string, int, std::less<>> row_index, column_index;
  std::map<std::pair<int, int>, double> quadratic;  // as listed
  bool both_triangles = false;
};

class QpsReader {
 public:
  QpsReader(std::string_view text, const std::string& file, bool fixed)
      : text_(text), file_(file), fixed_(fixed) {}

  Model read() {
    while (section_ != "ENDATA" && next_line()) {
      if (line_.front() != ' ' && line_.front() != '\t') {
        begin_section();
      } else {
        read_data();
      }
    }
    if (section_ != "ENDATA") fail("ends without ENDATA");
    if (model_.objective < 0) fail("has no row of type N, the objective");
    if (model_.columns.empty()) fail("has no columns");
    return std::move(model_);
  }

 private:
  [[noreturn]] void fail(std::string_view fault) const {
    const std::string where = section_.empty() ? "QPS" : "section " + shown(section_);
    throw InputError(fmt::format("{}: line {}: {}: {}", file_, number_, where, fault));
  }

  // The next line that is neither empty nor a remark.
  bool next_line() {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      line_ = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++number_;
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      split();
      if (!words_.empty() && line_.front() != '*') return true;
    }
    return false;
  }

  void split() {
    words_.clear();
    for (std::size_t i = 0; i < line_.size();) {
      i = line_.find_first_not_of(" \t", i);
      if (i == std::string_view::npos) break;
      const std::size_t end = std::min(line_.find_first_of(" \t", i), line_.size());
      words_.push_back(line_.substr(i, end - i));
      i = end;
    }
  }

  // Fields of fixed form stand in columns 2-3, 5-12, 15-22, 25-36, 40-47 and 50-61.
  std::array<std::string_view, 6> fixed_fields() const {
    constexpr std::array<std::pair<std::size_t, std::size_t>, 6> kPlaces = {
        {{1, 2}, {4, 8}, {14, 8}, {24, 12}, {39, 8}, {49, 12}}};
    std::array<std::string_view, 6> fields;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      if (kPlaces[k].first >= line_.size()) continue;
      std::string_view f = line_.substr(kPlaces[k].first, kPlaces[k].second);
      while (!f.empty() && f.back() == ' ') f.remove_suffix(1);
      if (k == 3 || k == 5) {
        while (!f.empty() && f.front() == ' ') f.remove_prefix(1);
      }
      fields[k] = f;
    }
    // A number or name that does not fit its field would be cut off.
    for (const auto& [first, count] :
         {std::pair{12UL, 2UL}, {22UL, 2UL}, {36UL, 3UL}, {47UL, 2UL}}) {
      if (first < line_.size() &&
          line_.substr(first, count).find_first_not_of(" \t") != std::string_view::npos)
        fail(fmt::format("\"{}\" does not keep to the fields of fixed form", shown(line_)));
    }
    if (line_.size() > 61 && line_[60] != ' ' && line_[61] != ' ' && line_[61] != '\t')
      fail(fmt::format("\"{}\" does not keep to the fields of fixed form", shown(line_)));
    return fields;
  }

  void begin_section() {
    const std::string word(words_[0]);
    static const std::set<std::string> known = {"NAME",    "OBJSENSE", "ROWS",   "COLUMNS",
                                                "RHS",     "RANGES",   "BOUNDS", "QUADOBJ",
                                                "QMATRIX", "QSECTION", "ENDATA"};
    if (!known.contains(word)) {
      section_ = word;
      fail("is not supported; the QPS part of SIF and MPS is");
    }
    section_ = word;
    model_.both_triangles |= word == "QMATRIX";
    if (word == "NAME" && words_.size() > 1) model_.name = words_[1];
    if (word == "OBJSENSE" && words_.size() > 1) read_sense(words_[1]);
    if (word.front() == 'Q' && !model_.quadratic.empty()) fail("is a second quadratic part");
    if (word.front() == 'Q' && words_.size() > 1) check_quadratic_row(std::string(words_[1]));
  }

  void check_quadratic_row(const std::string& name) {
    const auto found = model_.row_index.find(name);
    if (found == model_.row_index.end()) fail(fmt::format("there is no row \"{}\"", shown(name)));
    if (found->second != model_.objective)
      fail(fmt::format("row \"{}\" is not the objective; quadratic constraints are not supported",
                       shown(name)));
  }

  void read_data() {
    if (section_ == "ROWS") return read_row();
    if (section_ == "COLUMNS") return read_column();
    if (section_ == "RHS" || section_ == "RANGES") return read_right_hand_side();
    if (section_ == "BOUNDS") return read_bound();
    if (section_ == "OBJSENSE") return read_sense(words_[0]);
    if (section_.starts_with("Q")) return read_quadratic();
    fail(fmt::format("\"{}\" belongs to no section", shown(words_[0])));
  }

  void read_sense(std::string_view word) {
    if (word.starts_with("MAX")) {
      model_.maximise = true;
    } else if (!word.starts_with("MIN")) {
      fail(fmt::format("\"{}\" is neither MIN nor MAX", shown(word)));
    }
  }

  void read_row() {
    const std::string type(words_[0]);
    std::string name =
        fixed_ ? std::string(fixed_fields()[1]) : std::string(words_.size() > 1 ? words_[1] : "");
    if (type.size() != 1 || std::string("NEGLneglx").find(type[0]) > 7 || name.empty() ||
        (!fixed_ && words_.size() != 2)) {
      fail(fmt::format("\"{}\" is no row: N, E, G or L and a name", shown(line_)));
    }
    const char kind = static_cast<char>(std::toupper(static_cast<unsigned char>(type[0])));
    const int index = static_cast<int>(model_.rows.size());
    if (!model_.row_index.emplace(std::move(name), index).second)
      fail(fmt::format("row \"{}\" comes twice", shown(words_.back())));
    if (kind == 'N' && model_.objective < 0) model_.objective = index;
    model_.rows.push_back({kind, {}, {}, {}});
  }

  // The name and the pairs of name and number of a data line; the name may be left out (RHS).
  struct Pairs {
    std::string name;
    std::vector<std::pair<std::string, double>> values;
  };
  Pairs pairs(bool may_lack_name) {
    Pairs result;
    if (fixed_) {
      const auto fields = fixed_fields();
      result.name = fields[1];
      for (const std::size_t k : {2UL, 4UL}) {
        if (!fields[k].empty()) result.values.emplace_back(fields[k], number(fields[k + 1]));
      }
    } else {
      const bool named = words_.size() % 2 == 1;
      if (!named && !may_lack_name)
        fail(fmt::format("\"{}\" has an even number of words", shown(line_)));
      if (named) result.name = words_[0];
      for (std::size_t k = named ? 1 : 0; k + 1 < words_.size(); k += 2)
        result.values.emplace_back(words_[k], number(words_[k + 1]));
    }
    if (result.values.empty())
      fail(fmt::format("\"{}\" has no pair of name and number", shown(line_)));
    return result;
  }

  double number(std::string_view word) const {
    std::string plain(word);
    std::replace_if(
        plain.begin(), plain.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
    const char* const first = plain.data() + (plain.starts_with("+") ? 1 : 0);
    double value = 0.0;
    const auto [end, error] = std::from_chars(first, plain.data() + plain.size(), value);
    if (error != std::errc() || end != plain.data() + plain.size() || std::isnan(value))
      fail(fmt::format("\"{}\" is no number", shown(word)));
    return value;
  }
  double finite(const std::string& name, double value) const {
    if (!std::isfinite(value)) fail(fmt::format("the value of \"{}\" is not finite", shown(name)));
    return value;
  }

  Row& row(const std::string& name) {
    const auto found = model_.row_index.find(name);
    if (found == model_.row_index.end()) fail(fmt::format("there is no row \"{}\"", shown(name)));
    return model_.rows[found->second];
  }
  int column(std::string_view name) const {
    const auto found = model_.column_index.find(name);
    if (found == model_.column_index.end())
      fail(fmt::format("there is no column \"{}\"", shown(name)));
    return found->second;
  }

  void read_column() {
    if (words_.size() >= 3 && words_[1] == "'MARKER'") {
      integers_ = words_.back() == "'INTORG'";
      return;
    }
    const Pairs data = pairs(false);
    const auto [place, added] =
        model_.column_index.emplace(data.name, static_cast<int>(model_.columns.size()));
    if (added) {
      model_.columns.push_back({data.name, 0.0, kInfinity, false, false, {}});
      model_.relaxed += integers_;
    }
    Column& to = model_.columns[place->second];
    for (const auto& [name, value] : data.values) {
      Row& in = row(name);
      if (!to.rows.insert(static_cast<int>(&in - model_.rows.data())).second)
        fail(fmt::format("column \"{}\" has row \"{}\" twice", shown(data.name), shown(name)));
      in.entries.emplace_back(place->second, finite(name, value));
    }
  }

  // Only one set of right-hand sides, ranges and bounds is allowed.
  void check_set(const std::string& name) {
    const std::string& first = sets_.try_emplace(section_, name).first->second;
    if (first != name)
      fail(fmt::format("set \"{}\" after set \"{}\": only one is read", shown(name), shown(first)));
  }

  void read_right_hand_side() {
    const Pairs data = pairs(true);
    check_set(data.name);
    for (const auto& [name, value] : data.values) {
      Row& to = row(name);
      if ((section_ == "RHS" ? to.rhs : to.range).has_value())
        fail(fmt::format("row \"{}\" comes twice", shown(name)));
      if (section_ == "RHS") {
        to.rhs = finite(name, value);
      } else if (to.type == 'N') {
        fail(fmt::format("row \"{}\" is of type N", shown(name)));
      } else {
        to.range = finite(name, value);
      }
    }
  }

  void read_bound() {
    const std::string type(words_[0]);
    static const std::set<std::string> kValued = {"LO", "UP", "FX", "LI", "UI"};
    static const std::set<std::string> kPlain = {"FR", "MI", "PL", "BV"};
    const bool valued = kValued.contains(type);
    if (!valued && !kPlain.contains(type))
      fail(fmt::format("\"{}\" is no type of bound that is supported", shown(type)));
    std::string set, name, value;
    if (fixed_) {
      const auto fields = fixed_fields();
      set = fields[1], name = fields[2], value = fields[3];
    } else {
      const std::size_t own = valued ? 3 : 2;  // words without the name of the set
      const bool named = words_.size() > own && (valued || model_.column_index.contains(words_[2]));
      if (words_.size() < own || words_.size() > own + 2)
        fail(fmt::format("\"{}\" is no bound", shown(line_)));
      set = named ? words_[1] : "";
      name = words_[named ? 2 : 1];
      if (valued) value = words_[named ? 3 : 2];
    }
    check_set(set);
    apply_bound(type, model_.columns[column(name)], valued ? number(value) : 0.0);
  }

  void apply_bound(const std::string& type, Column& x, double value) {
    if (std::abs(value) >= kInfinite) value = std::copysign(kInfinity, value);
    // BV says all there is to say, also after other bounds.
    const bool is_lower = type != "UP" && type != "UI" && type != "PL" && type != "BV";
    const bool is_upper = type != "LO" && type != "LI" && type != "MI" && type != "BV";
    if ((is_lower && x.lower_given) || (is_upper && x.upper_given))
      fail(fmt::format("\"{}\" has two {} bounds", shown(x.name),
                       is_lower && x.lower_given ? "lower" : "upper"));
    x.upper_given |= is_upper;
    if (type == "LO" || type == "LI" || type == "FX") {
      x.lower = value;
      x.lower_given = true;
    }
    if (type == "UP" || type == "UI" || type == "FX") {
      x.upper = value;
      if (value < 0 && !x.lower_given) x.lower = -kInfinity;
    }
    if (type == "FR" || type == "MI") {
      x.lower = -kInfinity;
      x.lower_given = true;
    }
    if (type == "FR" || type == "PL") x.upper = kInfinity;
    if (type == "BV") x.lower = 0.0, x.upper = 1.0, x.lower_given = x.upper_given = true;
    model_.relaxed += type == "BV" || type == "LI" || type == "UI";
    if (!(x.lower <= x.upper) || x.lower == kInfinity || x.upper == -kInfinity) {
      fail(fmt::format("no number is between the bounds {} and {} of \"{}\"", x.lower, x.upper,
                       shown(x.name)));
    }
  }

  void read_quadratic() {
    const Pairs data = pairs(false);
    const int i = column(data.name);
    for (const auto& [name, value] : data.values) {
      const int j = column(name);
      if (!model_.quadratic.emplace(std::pair(i, j), finite(name, value)).second)
        fail(fmt::format("the entry of \"{}\" and \"{}\" comes twice", shown(data.name),
                         shown(name)));
      if (section_ != "QMATRIX" && i != j && model_.quadratic.contains({j, i})) {
        fail(fmt::format("both entries of \"{}\" and \"{}\": {} holds one triangle, QMATRIX both",
                         shown(data.name), shown(name), section_));
      }
    }
  }

  std::string_view text_, line_;
  const std::string& file_;
  bool fixed_, integers_ = false;
  std::size_t at_ = 0;
  int number_ = 0;
  std::string section_;
  std::map<std::string, std::string> sets_;  // by section
  std::vector<std::string_view> words_;
  Model model_;
};

// lower <= row <= upper.
std::pair<double, double> limits(const Row& row) {
  const double rhs = row.rhs.value_or(0.0), size = std::abs(row.range.value_or(0.0));
  switch (row.type) {
    case 'E':
      return row.range.value_or(0.0) < 0 ? std::pair(rhs - size, rhs) : std::pair(rhs, rhs + size);
    case 'G':
      return {rhs, row.range ? rhs + size : kInfinity};
    default:
      return {row.range ? rhs - size : -kInfinity, rhs};
  }
}

// Rows of A x + s = b in the making.
struct Constraints {
  std::vector<Triplet> entries;
  std::vector<double> b;

  void add(const std::vector<std::pair<int, double>>& row, double sign, double value) {
    for (const auto& [j, a] : row) entries.emplace_back(static_cast<int>(b.size()), j, sign * a);
    b.push_back(sign * value);
  }
};

ConicQp conic_qp(const Model& model, Matrix p, Vector c) {
  std::vector<std::pair<std::vector<std::pair<int, double>>, std::pair<double, double>>> all;
  for (const Row& row : model.rows) {
    if (row.type != 'N') all.emplace_back(row.entries, limits(row));
  }
  for (int j = 0; j < static_cast<int>(model.columns.size()); ++j) {
    const Column& x = model.columns[j];
    all.push_back({{{j, 1.0}}, {x.lower, x.upper}});
  }
  Constraints rows;
  for (const auto& [row, range] : all) {
    if (range.first == range.second) rows.add(row, 1.0, range.first);
  }
  const int equations = static_cast<int>(rows.b.size());
  for (const auto& [row, range] : all) {
    if (range.first == range.second) continue;
    if (range.second < kInfinity) rows.add(row, 1.0, range.second);
    if (range.first > -kInfinity) rows.add(row, -1.0, range.first);
  }
  const int count = static_cast<int>(rows.b.size()), n = static_cast<int>(c.size());
  ConicQp qp{std::move(p),
             std::move(c),
             Matrix::from_triplets(count, n, rows.entries),
             Eigen::Map<Vector>(rows.b.data(), count),
             {}};
  if (equations > 0) qp.cones.push_back({ConeType::kZero, equations});
  if (count > equations) qp.cones.push_back({ConeType::kNonnegative, count - equations});
  return qp;
}

Problem to_problem(const Model& model) {
  const int n = static_cast<int>(model.columns.size());
  const Row& objective = model.rows[model.objective];
  const double sign = model.maximise ? -1.0 : 1.0;
  Vector c = Vector::Zero(n);
  for (const auto& [j, value] : objective.entries) c[j] = sign * value;
  std::vector<Triplet> entries;
  for (const auto& [place, value] : model.quadratic) {
    const auto [i, j] = place;
    entries.emplace_back(i, j, sign * value);
    if (i != j && !model.both_triangles) entries.emplace_back(j, i, sign * value);
  }
  Matrix p = Matrix::from_triplets(n, n, entries);
  Problem problem;
  problem.name = model.name;
  for (const Column& x : model.columns) problem.variables.push_back(x.name);
  json::Object source{{"format", "QPS"}, {"constant", 0.0 - sign * objective.rhs.value_or(0.0)}};
  if (model.maximise) source.emplace_back("sense", "a maximum was asked; all signs are changed");
  if (model.relaxed > 0) {
    source.emplace_back("relaxed",
                        fmt::format("integrality of {} unknowns left out", model.relaxed));
  }
  problem.source = std::move(source);
  const bool box = std::ranges::all_of(model.rows, [](const Row& r) { return r.type == 'N'; });
  if (!box) {
    problem.data = conic_qp(model, std::move(p), std::move(c));
    return problem;
  }
  BoxQp qp{std::move(p), std::move(c), Vector(n), Vector(n)};
  for (int j = 0; j < n; ++j) {
    qp.lower[j] = model.columns[j].lower;
    qp.upper[j] = model.columns[j].upper;
  }
  problem.data = std::move(qp);
  return problem;
}

// Names of fixed form may have blanks in them, at which free form would split them.
Model read_model(std::string_view text, const std::string& file) {
  try {
    return QpsReader(text, file, false).read();
  } catch (const InputError& in_free_form) {
    try {
      return QpsReader(text, file, true).read();
    } catch (const InputError& in_fixed_form) {
      const std::string also = std::string(in_fixed_form.what()).substr(file.size() + 2);
      if (std::string(in_free_form.what()).ends_with(also)) throw;
      throw InputError(fmt::format("{}; in fixed form: {}", in_free_form.what(), also));
    }
  }
}

}  // namespace

Problem problem_from_qps(std::string_view text, const std::string& file) {
  return validated(to_problem(read_model(text, file)), file);
}

}  // namespace perp
