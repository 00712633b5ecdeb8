#include <perp/problems/io/problem_parts.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>
#include <stdexcept>

namespace perp {

namespace {

using Names = std::vector<std::string_view>;

struct FieldsOfKind {
  std::string_view kind;
  Names required, optional;
};

const std::vector<FieldsOfKind>& fields_of_kinds() {
  static const std::vector<FieldsOfKind> kinds = {
      {"lcp", {"M", "q"}, {}},
      {"mlcp", {"M", "q", "lower", "upper"}, {}},
      {"box_qp", {"H", "c", "lower", "upper"}, {}},
      {"conic_qp", {"P", "c", "A", "b", "cones"}, {"dual"}},
      {"friction_contact", {"W", "q", "mu"}, {"compliance"}},
      {"friction_contact", {"J", "M", "q", "mu"}, {"compliance"}},
      {"convex_contact", {"A", "J", "R", "bias", "mu", "v_star"}, {}}};
  return kinds;
}

bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool belongs_to_all(std::string_view field) { return field == "start" || field == "solution"; }

class PartsReader {
 public:
  PartsReader(std::map<std::string, ProblemPart, std::less<>> parts, const std::string& file)
      : parts_(std::move(parts)), file_(file) {}

  Problem read() {
    Problem problem;
    problem.data = read_data(expect_kind());
    if (has("start")) problem.start = vector("start");
    if (has("dual") && !has("solution")) fail("solution", "is missing, and there is a dual");
    if (has("solution"))
      problem.solution = {vector("solution"), has("dual") ? vector("dual") : Vector()};
    try {
      validate(problem);
    } catch (const std::invalid_argument& error) {
      const std::string_view text = error.what();
      throw field_error(file_of(text.substr(0, text.find_first_of(":.["))), error.what());
    }
    return problem;
  }

 private:
  std::string_view expect_kind() const {
    std::set<std::string, std::less<>> fields;
    for (const auto& [field, part] : parts_) fields.insert(field);
    const KindOfParts found = kind_of_parts(fields);
    if (found.kind.empty()) {
      throw InputError(fmt::format("{}: no kind of problem has these fields together: {}", file_,
                                   fmt::join(fields, ", ")));
    }
    if (!found.missing.empty())
      fail(found.missing[0], fmt::format("is missing; it belongs to {}", found.kind));
    return found.kind;
  }

  ProblemData read_data(std::string_view kind) {
    if (kind == "lcp") return Lcp{matrix("M"), vector("q")};
    if (kind == "mlcp") return Mlcp{matrix("M"), vector("q"), vector("lower"), vector("upper")};
    if (kind == "box_qp") return BoxQp{matrix("H"), vector("c"), vector("lower"), vector("upper")};
    if (kind == "conic_qp") return read_conic();
    if (kind == "friction_contact") return read_friction();
    return ConvexContact{definite("A"),  matrix("J"),  vector("R"),
                         vector("bias"), vector("mu"), vector("v_star")};
  }

  ConicQp read_conic() {
    return {matrix("P"), vector("c"), matrix("A"), vector("b"), read_cones()};
  }

  FrictionContact read_friction() {
    FrictionContact p;
    p.q = vector("q");
    p.mu = vector("mu");
    const Eigen::Index contacts = p.mu.size();
    if (p.q.size() != 2 * contacts && p.q.size() != 3 * contacts) {
      fail("q", fmt::format("length is {} with {} contacts in mu, expected 2 or 3 for each",
                            p.q.size(), contacts));
    }
    p.dimension = p.q.size() == 3 * contacts ? 3 : 2;
    if (has("W")) {
      p.W = matrix("W");
    } else {
      p.J = matrix("J");
      p.M = definite("M");
    }
    if (has("compliance")) p.compliance = vector("compliance");
    return p;
  }

  // A row of type and size for each cone.
  std::vector<Cone> read_cones() {
    const Matrix table = matrix("cones");
    if (table.cols() != 2)
      fail("cones", fmt::format("has {} columns, expected 2: type and size", table.cols()));
    if (table.stored() < table.rows()) fail("cones", "has rows without a size");
    const DenseMatrix rows = table.to_dense();
    std::vector<Cone> cones;
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      const double type = rows(i, 0), size = rows(i, 1);
      if (type != 0 && type != 1 && type != 2) {
        fail("cones", fmt::format("type {} in row {} is none of 0 (zero), 1 (nonnegative) and 2 "
                                  "(second order)",
                                  type, i + 1));
      }
      if (!(size >= 1 && size <= kMostRows) || size != std::floor(size))
        fail("cones", fmt::format("size {} in row {} is no integer from 1 on", size, i + 1));
      cones.push_back({static_cast<ConeType>(static_cast<int>(type)), static_cast<int>(size)});
    }
    return cones;
  }

  // Every row needs an entry: what a short file states is refused before it is factorised.
  Matrix definite(std::string_view field) {
    const Matrix& m = find(field).matrix;
    if (m.stored() < m.rows()) fail(field, "not positive definite: it has fewer entries than rows");
    return matrix(field);
  }
  Matrix matrix(std::string_view field) { return std::move(find(field).matrix); }

  Vector vector(std::string_view field) {
    const Matrix& m = find(field).matrix;
    if (m.cols() != 1 && m.rows() != 1) {
      fail(field, fmt::format("is {} x {}, expected one column or one row", m.rows(), m.cols()));
    }
    if (!m.is_sparse()) return m.dense().reshaped();
    Vector v = Vector::Zero(m.rows() * m.cols());  // without a dense copy in between
    for (int j = 0; j < m.cols(); ++j) {
      for (SparseMatrix::InnerIterator it(m.sparse(), j); it; ++it) v[it.row() + j] = it.value();
    }
    return v;
  }

  bool has(std::string_view field) const { return parts_.find(field) != parts_.end(); }
  ProblemPart& find(std::string_view field) {
    const auto found = parts_.find(field);
    if (found == parts_.end()) fail(field, "is missing");
    return found->second;
  }
  std::string file_of(std::string_view field) const {
    const auto found = parts_.find(field);
    return found == parts_.end() ? file_ : found->second.file;
  }
  [[noreturn]] void fail(std::string_view field, std::string_view fault) const {
    throw InputError(fmt::format("{}: field \"{}\": {}", file_of(field), field, fault));
  }

  static constexpr double kMostRows = 2147483647.0;

  std::map<std::string, ProblemPart, std::less<>> parts_;
  const std::string& file_;
};

}  // namespace

const std::vector<std::string_view>& part_fields() {
  static const Names fields = [] {
    Names all = {"start", "solution"};
    for (const FieldsOfKind& kind : fields_of_kinds()) {
      for (const Names* names : {&kind.required, &kind.optional}) {
        for (const std::string_view name : *names) {
          if (!contains(all, name)) all.push_back(name);
        }
      }
    }
    return all;
  }();
  return fields;
}

bool is_part_field(std::string_view field) { return contains(part_fields(), field); }

bool may_be_infinite(std::string_view field) { return field == "lower" || field == "upper"; }

KindOfParts kind_of_parts(const std::set<std::string, std::less<>>& fields) {
  KindOfParts best;
  for (const FieldsOfKind& kind : fields_of_kinds()) {
    const bool fits = std::ranges::all_of(fields, [&](const std::string& field) {
      return belongs_to_all(field) || contains(kind.required, field) ||
             contains(kind.optional, field);
    });
    if (!fits) continue;
    Names missing;
    for (const std::string_view field : kind.required) {
      if (!fields.contains(field)) missing.push_back(field);
    }
    if (best.kind.empty() || missing.size() < best.missing.size())
      best = {kind.kind, std::move(missing)};
  }
  return best;
}

Problem problem_from_parts(std::map<std::string, ProblemPart, std::less<>> parts,
                           const std::string& file) {
  return PartsReader(std::move(parts), file).read();
}

}  // namespace perp
