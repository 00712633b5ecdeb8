#include <perp/bench/collection/collection.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <perp/bench/collection/answers.hpp>
#include <perp/bench/collection/facts.hpp>
#include <perp/bench/collection/folder.hpp>
#include <perp/bench/collection/index.hpp>
#include <perp/bench/collection/sha256.hpp>
#include <perp/bench/data/data_files.hpp>
#include <perp/bench/harness/json_numbers.hpp>
#include <perp/bench/harness/suite.hpp>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/problems/io/fclib.hpp>
#include <perp/problems/io/file_names.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/matrix_market.hpp>
#include <perp/problems/io/mof.hpp>
#include <perp/problems/io/nl.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/json/field.hpp>
#include <set>

namespace perp {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kOwnLicence = "BSD-3-Clause";  // of the problems that perp makes
constexpr const char* kOwnLicenceText = "licences/perp-LICENSE";

// Thrown if a signal was noted.
struct Interrupted {};

void end_if_interrupted() {
  if (interrupt_signal() != 0) throw Interrupted{};
}

std::string recipe_path(const std::string& given) {
  if (given.empty()) return (data_root() / "problems" / "recipes" / "collection.json").string();
  if (!is_suite(given))
    throw InputError(fmt::format("{}: is neither a suite nor a suite file", given));
  if (fs::is_regular_file(given)) return given;
  for (const Suite& suite : list_suites()) {
    if (suite.name == given) return suite.path;
  }
  return given;
}

Json to_json(const json::Value& value) { return Json::parse(json::to_text(value)); }

// Bytes of names that are not UTF-8 are replaced, as in all of perp's output.
std::string document_text(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string way_of(const char* folder, std::string_view kind, const std::string& name,
                   const std::string& ending) {
  return fmt::format("{}/{}/{}{}", folder, kind, file_name_of(name), ending);
}

class Exporter {
 public:
  Exporter(const CollectionRequest& request, const CollectionProgress& progress)
      : request_(request),
        progress_(progress),
        recipe_(recipe_path(request.recipe)),
        folder_(request.folder, request.overwrite) {}

  CollectionSummary run() {
    folder_.open();
    std::vector<Instance> instances = instances_of_recipe();
    const int total = static_cast<int>(instances.size());
    for (Instance& instance : instances) {
      add(instance);
      instance.made.reset();  // frees memory: there may be thousands of instances
      end_if_interrupted();
      const Json& told = told_.back();
      if (progress_)
        progress_(static_cast<int>(told_.size()), total, told["name"], std::string(told["label"]));
    }
    finish();
    return std::move(summary_);
  }

 private:
  std::vector<Instance> instances_of_recipe() {
    std::vector<Instance> instances;
    try {
      instances = collect_instances(recipe_, request_.quick, &summary_.notes);
    } catch (const InputError&) {
      end_if_interrupted();  // an interrupted step must not be reported as a fault of the recipe
      throw;
    }
    end_if_interrupted();
    if (instances.empty()) throw InputError(fmt::format("{}: gives no instance", recipe_));
    for (const Instance& i : instances) {
      if (i.path.empty() || (!i.licence.name.empty() && !i.licence.text.empty())) continue;
      throw InputError(
          fmt::format("{}: field \"licence\": the entry of {} has no licence and licence_file; a "
                      "collection needs both, because it is made for others",
                      recipe_, i.name));
    }
    return instances;
  }

  // Writes the files of one instance and adds its entry to the index.
  void add(const Instance& instance) {
    Problem problem = instance.load();
    const Origin origin = origin_of(instance, problem, recipe_);
    if (!names_.insert(origin.name).second) {
      throw InputError(
          fmt::format("{}: gives two instances with the name {}", recipe_, origin.name));
    }
    problem.name = origin.name;
    InterruptObserver observer;
    const Finding finding = find_answer(problem, limits_, &observer);
    end_if_interrupted();
    Json told{{"name", origin.name}};
    told.update(facts_of(problem, finding));
    told["origin"] = {{"type", origin.type}};
    if (!origin.path.empty()) told["origin"]["path"] = origin.path;
    if (!instance.licence.origin.empty()) told["origin"]["from"] = instance.licence.origin;
    told["origin"]["source"] = to_json(problem.source);
    told["licence"] = licence_of(instance);
    write_files(problem, finding, told);
    count(told, finding);
    told_.push_back(std::move(told));
  }

  Json facts_of(const Problem& problem, const Finding& finding) const {
    const VerifiedResult& r = finding.result;
    const bool solved = finding.label == Label::kSolved;
    Json facts = facts_to_json(problem, solved ? r.answer.z : Vector());
    const auto* conic = std::get_if<ConicQp>(&problem.data);
    facts["rows"] = conic ? Json(conic->b.size()) : Json();
    facts["vacuous"] = to_string(vacuous_answer(problem, limits_.tolerance));
    facts["label"] = to_string(finding.label);
    facts["status"] = to_string(r.status);
    facts["from"] = finding.label == Label::kOpen ? Json() : Json(finding.from);
    const bool by_auto = finding.from == "auto" && finding.label != Label::kOpen;
    facts["solver"] = by_auto && !r.route.empty() ? Json(r.route.back().solver.str()) : Json();
    facts["residual"] = finite_or_null(r.verdict.measure);
    facts["proof"] = finding.label == Label::kProof ? Json(r.certificate->type) : Json();
    facts["by_clock"] = finding.by_clock;
    const json::Value* known = problem.source.find("known");
    facts["known"] = known ? to_json(*known) : Json();
    return facts;
  }

  // The text of each licence is written once, next to the instances.
  std::string licence_of(const Instance& instance) {
    const Licence& given = instance.licence;
    const std::string own = (data_root() / "LICENSE").string();
    if (given.text.empty() || given.text == own) {
      add_licence(kOwnLicence, kOwnLicenceText, own, "made by perp");
      return kOwnLicence;
    }
    const fs::path text(given.text);
    const std::string name =
        fmt::format("licences/{}-{}", file_name_of(text.parent_path().filename().string()),
                    file_name_of(text.filename().string()));
    add_licence(given.name, name, given.text, given.origin);
    return given.name;
  }

  void add_licence(const std::string& licence, const std::string& place, const std::string& file,
                   const std::string& origin) {
    if (!places_.insert(place).second) return;
    const std::string path = folder_.write(place, read_text_file(file)).path;
    licences_.push_back({{"licence", licence}, {"text", path}, {"origin", origin}});
  }

  void write_files(const Problem& problem, const Finding& finding, Json& told) {
    const std::string kind(problem.kind()), packed = request_.gzip ? ".gz" : "";
    const std::string& name = problem.name;
    told["files"] = Json::array();
    told["left_out"] = Json::object();
    const std::string json = way_of("problems", kind, name, ".json" + packed);
    add_file("perp", json, problem_to_text(problem), told);
    if (finding.label != Label::kOpen) {
      const std::string answer = way_of("answers", kind, name, ".json" + packed);
      add_file("answer", answer, document_text(answer_to_json(problem, finding)), told);
      check_answer_file(folder_.place_of(json), folder_.place_of(answer), limits_.tolerance);
    }
    if (kind == "lcp" || kind == "mlcp" || kind == "mcp") {
      add_foreign("mof", way_of("mof", kind, name, ".mof.json" + packed), problem_to_mof, problem,
                  told);
      add_foreign("nl", way_of("nl", kind, name, ".nl" + packed), problem_to_nl, problem, told);
    }
    if (kind == "friction_contact")
      add_foreign("fclib", way_of("fclib", kind, name, ".hdf5"), problem_to_fclib, problem, told);
    if (kind == "mcp") return;
    for (const auto& [field, text] : problem_to_matrix_market(problem)) {
      add_file("mtx", way_of("mtx", kind, name, fmt::format(".{}.mtx{}", field, packed)), text,
               told);
      told["files"].back()["field"] = field;
    }
  }

  void add_file(const char* format, const std::string& path, const std::string& text, Json& told) {
    const CollectionFile file = folder_.write(path, text);
    told["files"].push_back(
        {{"format", format}, {"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  }

  // If a format cannot hold the problem, the reason is noted.
  void add_foreign(const char* format, const std::string& path,
                   std::string (*write)(const Problem&), const Problem& problem, Json& told) {
    std::string text;
    try {
      text = write(problem);
    } catch (const std::invalid_argument& error) {
      told["left_out"][format] = error.what();
      return;
    }
    add_file(format, path, text, told);
  }

  void count(const Json& told, const Finding& finding) {
    for (CollectionCounts* counts : {&summary_.kinds[told["kind"]], &summary_.all}) {
      ++counts->instances;
      counts->solved += finding.label == Label::kSolved;
      counts->proofs += finding.label == Label::kProof;
      counts->open += finding.label == Label::kOpen;
    }
    if (finding.by_clock) summary_.by_clock.push_back(told["name"]);
  }

  static Json counts_json(const CollectionCounts& counts) {
    return {{"instances", counts.instances},
            {"solved", counts.solved},
            {"proof", counts.proofs},
            {"open", counts.open}};
  }

  Json head() const {
    const std::string text = read_text_file(recipe_);
    const json::Value recipe = json::parse(text, recipe_);
    const Field field(recipe, recipe_, "");
    Json counts = Json::object();
    for (const auto& [kind, of_kind] : summary_.kinds) counts[kind] = counts_json(of_kind);
    return {{"format", "perp-collection"},
            {"version", 1},
            {"name", field["name"].text()},
            {"description", field["description"].text()},
            {"program", "perp " PERP_VERSION},
            {"quick", request_.quick},
            {"tolerance", limits_.tolerance},
            {"counts", counts_json(summary_.all)},
            {"kinds", counts},
            {"licences", licences_}};
  }

  std::string readme(const Json& head) const {
    std::string text = fmt::format(
        "# {}\n\n{}\n\n{} instances: {} with a verified answer, {} with a checked proof that there "
        "is none, {} open.\n\n",
        std::string(head["name"]), std::string(head["description"]), summary_.all.instances,
        summary_.all.solved, summary_.all.proofs, summary_.all.open);
    text +=
        "* `index.json`, `index.csv`: every instance, what is known about it, its files\n"
        "* `problems/`: JSON of perp; `mof/`: MathOptFormat; `nl/`: AMPL; `fclib/`: HDF5 of FCLIB; "
        "`mtx/`: Matrix Market\n"
        "* `answers/`: answers and proofs\n"
        "* `recipe.json`: what perp made this from (`perp export --collection --recipe`)\n"
        "* `SHA256SUMS`: for `sha256sum -c SHA256SUMS`\n\n"
        "docs/how-to/collection.md of perp explains all of this. Licences:\n\n";
    for (const Json& licence : licences_) {
      text += fmt::format("* {} (`{}`): {}\n", std::string(licence["licence"]),
                          std::string(licence["text"]), std::string(licence["origin"]));
    }
    return text;
  }

  void finish() {
    const Json head = this->head();
    folder_.write("recipe.json", read_text_file(recipe_));
    folder_.write("README.md", readme(head));
    folder_.write("index.csv", index_csv_text(told_));
    folder_.write(kIndexFile, index_json_text(head, told_));
    folder_.write("SHA256SUMS", folder_.checksums());
    end_if_interrupted();
    folder_.commit(kIndexFile);
    summary_.files = folder_.files().size();
    for (const CollectionFile& file : folder_.files()) summary_.bytes += file.bytes;
  }

  const CollectionRequest& request_;
  const CollectionProgress& progress_;
  const AnswerLimits limits_;
  std::string recipe_;
  CollectionFolder folder_;
  CollectionSummary summary_;
  std::vector<Json> told_;  // entries of the index, one for each instance
  std::set<std::string> names_, places_;
  Json licences_ = Json::array();
};

}  // namespace

CollectionSummary export_collection(const CollectionRequest& request,
                                    const CollectionProgress& progress) {
  try {
    return Exporter(request, progress).run();
  } catch (const Interrupted&) {
    CollectionSummary summary;
    summary.interrupted = true;
    return summary;
  }
}

}  // namespace perp
