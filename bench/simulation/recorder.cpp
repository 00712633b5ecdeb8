#include <perp/bench/simulation/recorder.hpp>

#include <fmt/format.h>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <perp/bench/simulation/run_folder.hpp>
#include <perp/bench/simulation/shapes_json.hpp>
#include <perp/problems/io/csv_field.hpp>
#include <perp/problems/io/file_names.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/problems/json/json.hpp>
#include <stdexcept>

namespace perp {

namespace fs = std::filesystem;

namespace {

AppendFile open(const fs::path& path, const std::string& header) {
  AppendFile file(path.string());
  file.keep(0);
  file.add(header + "\n");
  return file;
}

bool read_int(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

}  // namespace

ProblemSelection ProblemSelection::parse(const std::string& text) {
  if (text == "none") return {Kind::kNone};
  if (text == "failed") return {Kind::kFailed};
  if (text == "all") return {Kind::kAll};
  ProblemSelection s{Kind::kRange};
  const auto colon = text.find(':');
  const std::string_view view = text;
  if (colon == std::string::npos || !read_int(view.substr(0, colon), s.first) ||
      !read_int(view.substr(colon + 1), s.last) || s.first < 1 || s.last < s.first) {
    throw std::invalid_argument(fmt::format(
        "--record-problems: \"{}\" is not none, failed, all or A:B with 1 <= A <= B", text));
  }
  return s;
}

SimulationRecorder::SimulationRecorder(const std::string& folder, const Scene& scene,
                                       const RecordRequest& request,
                                       const std::vector<std::string>& columns)
    : folder_(folder), scene_(scene), request_(request), columns_(columns.size()) {
  clear_run_folder(folder);
  const fs::path root(folder);
  write_run({{"scene", scene.name},
             {"complete", false},
             {"steps", 0}});  // marks the folder as that of a run
  if (request.sequence) {
    sequence_.emplace((root / "problems.jsonl").string(), scene.name,
                      source_of_run(scene, request.origin));
  }
  trajectory_ = open(root / "trajectory.csv",
                     "step,t,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,kinetic,potential");
  if (request.contacts) {
    contacts_ =
        open(root / "contacts.csv",
             "step,t,contact,body_a,body_b,x,y,z,nx,ny,nz,tx,ty,tz,gap,p_n,p_t,p_o,p_r,slip,mode");
  }
  write_text_file((root / "shapes.json").string(), shapes_to_json(scene).dump() + "\n");
  joints_ = open(root / "joints.csv", "step,t,row,theta,impulse");
  std::string header =
      "step,t,stage,status,solver,natural,iterations,setup_s,solve_s,contacts,kinetic,potential,"
      "contact_work,infeasibility,feeding,relaxation,momentum_error,h,certificate";
  for (const std::string& column : columns) header += "," + column;
  steps_ = open(root / "steps.csv", header);
  write_bodies(0, initial_state(scene));
}

void SimulationRecorder::write_bodies(int step, const State& state) {
  std::string rows;
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
    const Body& body = scene_.bodies[b];
    if (body.fixed) continue;
    const BodyState& s = state.bodies[b];
    const Vector3d spin = s.orientation.conjugate() * s.angular_velocity;
    const double kinetic = 0.5 * body.mass * s.velocity.squaredNorm() +
                           0.5 * spin.dot(body.inertia.cwiseProduct(spin));
    const double potential = 0.0 - body.mass * scene_.gravity.dot(s.position);  // no -0
    rows += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", step, state.time,
                        body.name, s.position[0], s.position[1], s.position[2], s.orientation.w(),
                        s.orientation.x(), s.orientation.y(), s.orientation.z(), s.velocity[0],
                        s.velocity[1], s.velocity[2], s.angular_velocity[0], s.angular_velocity[1],
                        s.angular_velocity[2], kinetic, potential);
  }
  trajectory_.add(rows);
}

void SimulationRecorder::record_stages(SimulationRequest& request) {
  request.full_verdicts = false;
  request.stages = [this](int step, Status status) { return selects(step, status); };
  request.on_stage = [this](int step, const Stage& problem, const VerifiedResult& result) {
    stage(step, problem, result);
  };
}

bool SimulationRecorder::selects(int step, Status status) const {
  using Kind = ProblemSelection::Kind;
  const ProblemSelection& chosen = request_.problems;
  return chosen.kind == Kind::kAll || (chosen.kind == Kind::kFailed && status != Status::kSolved) ||
         (chosen.kind == Kind::kRange && step >= chosen.first && step <= chosen.last);
}

void SimulationRecorder::stage(int step, const Stage& stage, const VerifiedResult& result) {
  if (!selects(step, result.status)) return;
  number_ = step == last_step_ ? number_ + 1 : 1;
  last_step_ = step;
  Problem problem = stage.problem;
  keep_solution(problem, result);
  problem.source = source_of_step(problem, scene_, request_.origin, step);
  std::string name = fmt::format("{:06}-{}", step, stage.name);
  if (number_ > 1) name += fmt::format("-{}", number_);
  problem.name = fmt::format("{}-{}", scene_.name, name);
  if (sequence_) {
    sequence_->add(problem);
    return;
  }
  const fs::path folder = fs::path(folder_) / "problems";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw InputError(fmt::format("{}: cannot be created ({})", folder.string(), error.message()));
  write_problem(problem, (folder / (file_name_of(name) + ".json")).string());
}

void SimulationRecorder::step(const StepReport& r) {
  const double t = r.result.state.time;
  double infeasibility = 0.0;
  int number = 0;
  std::string contacts, joints;
  for (const ContactResult& c : r.result.contacts) {
    const ContactPoint3& k = c.contact;
    infeasibility = std::max(infeasibility, -k.gap);
    if (!request_.contacts) continue;
    contacts += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                            r.step, t, number++, scene_.bodies[k.a].name, scene_.bodies[k.b].name,
                            k.point[0], k.point[1], k.point[2], c.frame.n[0], c.frame.n[1],
                            c.frame.n[2], c.frame.t[0], c.frame.t[1], c.frame.t[2], k.gap, c.p_n,
                            c.p_t, c.p_o, c.p_r, c.slip, to_string(c.mode));
  }
  for (int i = 0; i < r.result.joint_values.size(); ++i) {
    if (!r.result.reduced)
      infeasibility = std::max(infeasibility, std::abs(r.result.joint_values[i]));
    joints += fmt::format("{},{},{},{},{}\n", r.step, t, i, r.result.joint_values[i],
                          r.result.joint_impulses[i]);
  }
  write_bodies(r.step, r.result.state);
  if (request_.contacts) contacts_.add(contacts);
  joints_.add(joints);
  write_stages(r, infeasibility);
}

void SimulationRecorder::write_stages(const StepReport& r, double infeasibility) {
  std::vector<StageReport> stages = r.stages;
  if (stages.empty()) {  // nothing to solve, or a step that could not be made
    stages.emplace_back();
    stages.back().stage = r.result.contacts.empty() ? "free" : "explicit";
    stages.back().contacts = static_cast<int>(r.result.contacts.size());
    stages.back().status = r.solved ? Status::kSolved : Status::kNumericalError;
  }
  std::string rows;
  for (const StageReport& s : stages) {
    rows += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", r.step,
                        r.result.state.time, s.stage, to_string(s.status), csv_field(s.solver),
                        s.natural, s.iterations, s.setup_time, s.solve_time, s.contacts, r.kinetic,
                        r.potential, r.result.contact_work, infeasibility, r.result.feeding,
                        r.result.relaxation, r.result.momentum_error, r.h, s.certificate);
    for (std::size_t k = 0; k < columns_; ++k)
      rows += fmt::format(",{}", k < r.result.columns.size() ? r.result.columns[k] : 0.0);
    rows += '\n';
  }
  steps_.add(rows);
}

void SimulationRecorder::write_run(nlohmann::ordered_json document) const {
  document["versions"] = {{"perp", PERP_VERSION}, {"compiler", PERP_COMPILER}};
  write_text_file(
      (fs::path(folder_) / "run.json").string(),
      document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void SimulationRecorder::summary(const SimulationRequest& request, double h,
                                 const SimulationSummary& s, bool complete) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object(), settings = parameters;
  for (const auto& [name, value] : scene_.parameters) parameters[name] = value;
  for (const auto& [name, value] : request.solve.settings) settings[name] = value;
  nlohmann::ordered_json j{
      {"scene", scene_.name},
      {"parameters", parameters},
      {"driver", to_string(request.driver)},
      {"formulation", request.formulation},
      {"solver", request.solve.solver},
      {"settings", settings},
      {"tolerance", request.solve.limits.tolerance},
      {"h", h},
      {"complete", complete},
      {"steps", s.steps},
      {"failed_steps", s.failed_steps},
      {"relaxed_steps", s.relaxed_steps},
      {"uncertified_steps", s.uncertified_steps},
      {"halved_steps", s.halved_steps},
      {"cut_short_steps", s.cut_short_steps},
      {"approximate_steps", s.approximate_steps},
      {"events", s.events},
      {"stages", s.stages},
      {"iterations", s.iterations},
      {"times", {{"setup", s.setup_time}, {"solve", s.solve_time}, {"wall", s.wall_time}}},
      {"peak_memory_mb", s.peak_memory_mb},
      {"message", s.message}};
  if (request.pattern.size() > 1) j["pattern"] = request.pattern;
  if (!request_.command.empty()) j["command"] = request_.command;
  write_run(std::move(j));
}

}  // namespace perp
