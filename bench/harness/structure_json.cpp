#include <perp/bench/harness/structure_json.hpp>

#include <nlohmann/json.hpp>

namespace perp {

using Json = nlohmann::ordered_json;

namespace {

Json matrix_json(const MatrixStructure& m) {
  Json j{{"name", m.name},
         {"rows", m.rows},
         {"cols", m.cols},
         {"storage", m.sparse ? "sparse" : "dense"},
         {"nonzeros", m.nonzeros},
         {"smallest", m.smallest},
         {"largest", m.largest},
         {"rank", m.rank >= 0 ? Json(m.rank) : Json()},
         {"zero_diagonal", m.zero_diagonal}};
  if (m.rows == m.cols) {
    j["symmetric"] = m.symmetric;
    j["asymmetry"] = m.asymmetry;
    j["definiteness"] = m.definiteness;
    j["z_matrix"] = m.z_matrix;
  }
  return j;
}

}  // namespace

Json structure_to_json(const ProblemStructure& s) {
  Json matrices = Json::array();
  for (const MatrixStructure& m : s.matrices) matrices.push_back(matrix_json(m));
  return {{"kind", s.kind},
          {"n", s.size},
          {"bounds",
           {{"free", s.free},
            {"lower", s.lower_only},
            {"upper", s.upper_only},
            {"both", s.boxed},
            {"fixed", s.fixed}}},
          {"contacts", s.contacts},
          {"matrices", matrices},
          {"class", s.problem_class}};
}

}  // namespace perp
