#include "readers.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <perp/bench/harness/record.hpp>
#include <perp/bench/harness/result_json.hpp>
#include <perp/bench/harness/suite.hpp>
#include <perp/bench/report/contact_histories.hpp>
#include <perp/bench/report/simulations.hpp>
#include <perp/bench/report/summary.hpp>
#include <perp/bench/studies/study.hpp>
#include <perp/problems/io/csv_matrix.hpp>
#include <perp/problems/io/fclib.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/matrix_market.hpp>
#include <perp/problems/io/mof.hpp>
#include <perp/problems/io/nl.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/io/problem_parts.hpp>
#include <perp/problems/io/qps.hpp>
#include <perp/problems/io/sequence.hpp>
#include <perp/problems/io/siconos_text.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/problems/scenes/obj_file.hpp>
#include <perp/problems/scenes/scene_json.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <string>

namespace perp::fuzz {

namespace fs = std::filesystem;

namespace {

void expect(bool kept, const std::string& promise) {
  if (!kept) throw BrokenPromise(promise);
}

// ---- refusals

// @param names the beginning of the message; "" if whoever reads puts it there
void check_refusal(const std::string& message, std::string_view names) {
  constexpr std::size_t kLongest = 1200;
  expect(!message.empty() && message.size() <= kLongest, "a refusal is one short line");
  expect(message == message_line(message) || message.size() > 1000,
         "a refusal can be read: " + message);
  expect(message.find('\n') == std::string::npos, "a refusal is one line");
  expect(message.starts_with(names), fmt::format("a refusal names {}: {}", names, message));
}

// ---- what was accepted

// Whatever is large is judged and written by the tests of scale.
constexpr int kLargestChecked = 200;

Answer zero_of(const Problem& problem) {
  Answer answer;
  answer.z = Vector::Zero(problem.size());
  if (const auto* conic = std::get_if<ConicQp>(&problem.data))
    answer.dual = Vector::Zero(conic->A.rows());
  return answer;
}

// What a format can hold reads back, if it can be written at all.
template <auto to_text, class Read>
void check_foreign(const Problem& problem, const std::string& format, const Read& read) {
  std::string text;
  try {
    text = to_text(problem);
  } catch (const std::invalid_argument&) {
    return;  // a kind that the format does not hold
  }
  try {
    expect(read(text).size() == problem.size(),
           format + " has as many unknowns as what was written");
  } catch (const InputError& error) {
    throw BrokenPromise(fmt::format("{} that was written is refused: {}", format, error.what()));
  }
}

// Every matrix and vector of the problem as the text that perp writes, read back.
void check_matrix_market(const Problem& problem) {
  std::vector<std::pair<std::string, std::string>> written;
  try {
    written = problem_to_matrix_market(problem);
  } catch (const std::invalid_argument&) {  // an mcp
    return;
  }
  std::map<std::string, ProblemPart, std::less<>> parts;
  try {
    for (const auto& [field, text] : written) {
      const auto infinities = may_be_infinite(field) ? Infinities::kAllowed : Infinities::kRefused;
      parts[field] = {matrix_from_market(text, field, infinities), field};
    }
    const Problem again = problem_from_parts(std::move(parts), "written.mtx");
    expect(problem_to_matrix_market(again) == written,
           "Matrix Market reads back as it was written");
  } catch (const InputError& error) {
    throw BrokenPromise(fmt::format("Matrix Market that was written is refused: {}", error.what()));
  }
}

void check_problem(const Problem& problem) {
  validate(problem);
  if (problem.size() > kLargestChecked) return;
  const std::string text = problem_to_text(problem);
  Problem again;
  try {
    again = problem_from_text(text, "written.json");
  } catch (const InputError& error) {
    throw BrokenPromise(fmt::format("what was written is refused: {}", error.what()));
  }
  expect(problem_to_text(again) == text, "a problem reads back as it was written");
  const Answer answer = zero_of(problem);
  const Verdict first = verify(problem, answer, 1e-8), second = verify(again, answer, 1e-8);
  expect(first.solved == second.solved &&
             (first.measure == second.measure || first.measure != first.measure),
         "a problem that was read back is judged alike");
  check_foreign<problem_to_nl>(
      problem, ".nl", [](const std::string& nl) { return problem_from_nl(nl, "", "written.nl"); });
  check_foreign<problem_to_mof>(problem, "MathOptFormat", [](const std::string& mof) {
    return problem_from_mof(mof, "written.mof.json");
  });
  check_matrix_market(problem);
}

// ---- readers of text

template <class Read>
void take_problem_by(const std::string& file, const Read& read) {
  Problem problem;
  try {
    problem = read(file);
  } catch (const InputError& error) {
    check_refusal(error.what(), file);
    return;
  }
  check_problem(problem);
}

void take_problem(std::string_view bytes) {
  take_problem_by("x.json",
                  [&](const std::string& file) { return problem_from_text(bytes, file); });
}
// The names of the .col file stand behind a line of "===".
void take_nl(std::string_view bytes) {
  constexpr std::string_view kBetween = "\n===\n";
  const std::size_t end = std::min(bytes.find(kBetween), bytes.size());
  const std::string_view names =
      end == bytes.size() ? std::string_view() : bytes.substr(end + kBetween.size());
  take_problem_by("x.nl", [&](const std::string& file) {
    return problem_from_nl(bytes.substr(0, end), names, file);
  });
}
void take_mof(std::string_view bytes) {
  take_problem_by("x.mof.json",
                  [&](const std::string& file) { return problem_from_mof(bytes, file); });
}
void take_qps(std::string_view bytes) {
  take_problem_by("x.qps", [&](const std::string& file) { return problem_from_qps(bytes, file); });
}
void take_siconos(std::string_view bytes) {
  take_problem_by("x.dat",
                  [&](const std::string& file) { return problem_from_siconos_text(bytes, file); });
}
void take_fclib(std::string_view bytes) {
  take_problem_by("x.hdf5",
                  [&](const std::string& file) { return problem_from_fclib(bytes, file); });
}

// M, q, lower and upper, or what else a line "=== FIELD" names; M needs no such line.
template <auto read_matrix>
void take_parts(std::string_view bytes, const std::string& ending) {
  constexpr std::string_view kBetween = "\n=== ";
  std::map<std::string, std::pair<std::string, std::string_view>> texts;  // by field: file, text
  std::string field = "M";
  while (true) {
    const std::size_t end = std::min(bytes.find(kBetween), bytes.size());
    texts[field] = {"x." + field + ending, bytes.substr(0, end)};
    if (end == bytes.size()) break;
    bytes.remove_prefix(end + kBetween.size());
    const std::size_t line = std::min(bytes.find('\n'), bytes.size());
    field = is_part_field(bytes.substr(0, line)) ? std::string(bytes.substr(0, line)) : "q";
    bytes.remove_prefix(std::min(line + 1, bytes.size()));
  }
  if (texts.size() > 1 && texts["M"].second.empty()) texts.erase("M");
  take_problem_by("x.", [&](const std::string& file) {
    std::map<std::string, ProblemPart, std::less<>> parts;
    for (const auto& [name, text] : texts) {
      const auto infinities = may_be_infinite(name) ? Infinities::kAllowed : Infinities::kRefused;
      parts[name] = {Matrix(read_matrix(text.second, text.first, infinities)), text.first};
    }
    return problem_from_parts(std::move(parts), file);
  });
}
void take_mtx(std::string_view bytes) { take_parts<matrix_from_market>(bytes, ".mtx"); }
void take_csv_parts(std::string_view bytes) { take_parts<matrix_from_csv>(bytes, ".csv"); }

void take_obj(std::string_view bytes) {
  try {
    const Polyhedron solid = polyhedron_from_obj(bytes);
    expect(solid.vertices.size() >= 4 && solid.faces.size() >= 4, "a solid has corners and faces");
  } catch (const std::invalid_argument& error) {
    check_refusal(error.what(), "");
  }
}

void take_result(std::string_view bytes) {
  const std::string file = "x.result.json";
  try {
    answer_from_text(bytes, file);
  } catch (const InputError& error) {
    check_refusal(error.what(), file);
  }
  try {
    start_from_text(bytes, file);
  } catch (const InputError& error) {
    check_refusal(error.what(), file);
  }
}

// ---- readers of files

// A folder of this process alone, for readers that open files themselves.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "perp-fuzz-").string();
    pattern.append(6, 'X');  // which mkdtemp replaces
    expect(mkdtemp(pattern.data()) != nullptr, "there is room for a folder");
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string write(const std::string& name, std::string_view bytes) const {
    const fs::path path = path_ / name;
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
    return path.string();
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

const Folder& folder() {
  static const Folder one;
  return one;
}

template <class Read>
void take_file(const std::string& name, std::string_view bytes, const Read& read) {
  const std::string path = folder().write(name, bytes);
  try {
    read(path);
  } catch (const InputError& error) {
    check_refusal(error.what(), path);
  }
}

void take_gzip(std::string_view bytes) { take_file("x.gz", bytes, read_text_file); }

void take_scene(std::string_view bytes) {
  take_file("x.json", bytes, [&](const std::string& path) { scene_from_text(bytes, path); });
}

void take_sequence(std::string_view bytes) {
  take_file("x.jsonl", bytes, [](const std::string& path) {
    for (const Problem& problem : read_sequence(path)) check_problem(problem);
  });
}

void take_suite(std::string_view bytes) {
  take_file("x.json", bytes, [](const std::string& path) { check_suite(path); });
}

void take_study(std::string_view bytes) {
  take_file("x.json", bytes, [](const std::string& path) {
    read_study(path, false);
    read_study(path, true);
  });
}

void take_records(std::string_view bytes) {
  take_file("x.jsonl", bytes, [](const std::string& path) {
    const std::vector<Record> records = read_records({path});
    summary_text(records);
    failures(records);
  });
}

// run.json, and behind a line of "===" figure.json; the tables are there and without fault.
void take_recording(std::string_view bytes) {
  constexpr std::string_view kBetween = "\n===\n";
  const std::size_t end = std::min(bytes.find(kBetween), bytes.size());
  const fs::path group = folder().path() / "group";
  fs::create_directories(group / "run");
  folder().write("group/run/run.json", bytes.substr(0, end));
  folder().write("group/run/steps.csv",
                 "step,t,iterations,solve_s,contacts,kinetic,potential\n1,0.1,3,1e-5,1,2,3\n");
  folder().write("group/run/trajectory.csv",
                 "step,t,body,px,py,pz,kinetic,potential,wx,wy,wz,vx,vy,vz\n"
                 "0,0,cube,0,0,0,2,3,0,0,0,1,0,0\n1,0.1,cube,0.1,0,0,2,3,0,0,0,1,0,0\n");
  std::error_code ignored;
  fs::remove(group / "figure.json", ignored);
  if (end < bytes.size()) folder().write("group/figure.json", bytes.substr(end + kBetween.size()));
  try {
    read_simulations({group.string()});
  } catch (const InputError& error) {
    check_refusal(error.what(), group.string());
  }
}

void take_csv(std::string_view bytes) {
  take_file("contacts.csv", bytes, [](const std::string& path) {
    int damaged = 0;
    const std::vector<double> t = {0.1, 0.2, 0.3};
    for (const ContactHistory& pair : read_contact_histories(path, 0.0, t, damaged)) {
      expect(pair.t.size() == pair.normal.size() && pair.t.size() == pair.friction.size() &&
                 pair.t.size() == pair.slip.size(),
             "a history has as many forces as times");
    }
  });
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = {
      {"problem", take_problem}, {"sequence", take_sequence},
      {"scene", take_scene},     {"result", take_result},
      {"suite", take_suite},     {"study", take_study},
      {"records", take_records}, {"recording", take_recording},
      {"csv", take_csv},         {"gzip", take_gzip},
      {"nl", take_nl},           {"mof", take_mof},
      {"qps", take_qps},         {"fclib", take_fclib},
      {"siconos", take_siconos}, {"obj", take_obj},
      {"mtx", take_mtx},         {"csv-matrix", take_csv_parts}};
  return all;
}

const Reader& find_reader(std::string_view name) {
  for (const Reader& reader : readers()) {
    if (reader.name == name) return reader;
  }
  throw std::invalid_argument(fmt::format("no reader \"{}\"", name));
}

}  // namespace perp::fuzz
