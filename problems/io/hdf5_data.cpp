#include <perp/problems/io/hdf5_data.hpp>

#include <perp/problems/json/json.hpp>
#include <stdexcept>

#ifndef PERP_HAS_HDF5

namespace perp {

namespace {
const std::string kMissing = "FCLIB files need HDF5, but perp was built without it (libhdf5-dev)";
}

std::vector<Hdf5Data> read_hdf5(std::string_view, std::span<const Hdf5Place>,
                                const std::string& file) {
  throw InputError(file + ": " + kMissing);
}

struct Hdf5Writer::File {};
Hdf5Writer::Hdf5Writer() { throw std::invalid_argument(kMissing); }
Hdf5Writer::~Hdf5Writer() = default;
void Hdf5Writer::group(const std::string&) const {}
void Hdf5Writer::numbers(const std::string&, std::span<const double>) const {}
void Hdf5Writer::integers(const std::string&, std::span<const int>) const {}
void Hdf5Writer::text(const std::string&, const std::string&) const {}
std::string Hdf5Writer::bytes() const { return ""; }

}  // namespace perp

#else

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <perp/problems/io/files.hpp>

namespace perp {

namespace {

// An HDF5 object that is closed by the destructor.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// Without this the library prints a text of its own at every failure.
void keep_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

// A file in memory that begins as a copy of the bytes.
hid_t memory_access(std::string_view bytes) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 1 << 16, false);
  if (!bytes.empty()) {
    H5Pset_file_image(access, const_cast<char*>(bytes.data()), bytes.size());
  }
  return access;
}

// The sanitizers reserve more address space than any limit allows. GCC and clang announce
// sanitizers in different ways.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PERP_IS_SANITIZED 1
#elif defined(__has_feature)
#define PERP_IS_SANITIZED (__has_feature(address_sanitizer) || __has_feature(memory_sanitizer))
#else
#define PERP_IS_SANITIZED 0
#endif
constexpr bool kMemoryLimits = !PERP_IS_SANITIZED;

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr int kOutOfMemory = 3;  // exit code of the process that reads

// ---- in the process that reads

// The reason why a dataset is not read, as a message.
struct Refusal {
  std::string why;
};

// The datasets of an open file.
class Datasets {
 public:
  Datasets(hid_t file, std::size_t bytes) : file_(file), bytes_(bytes) {}

  // False if some part of the path is not there. Links are refused: they lead to another place.
  bool has(const std::string& path) const {
    for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
      const std::string part = path.substr(0, end);
      if (H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0) return false;
      H5L_info_t info;
      if (H5Lget_info(file_, part.c_str(), &info, H5P_DEFAULT) < 0) throw Refusal{"cannot be read"};
      if (info.type != H5L_TYPE_HARD)
        throw Refusal{
            fmt::format("\"{}\" is a link to another place, which is not followed", part)};
      if (end == std::string::npos) return true;
    }
  }

  void read(const Hdf5Place& place, Hdf5Data& data) const {
    if (place.kind == Hdf5Place::Kind::kGroup) return;
    const Handle set(H5Dopen2(file_, place.path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set.valid()) throw Refusal{"is no dataset"};
    const Handle type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
    const H5T_class_t kind = H5Tget_class(type);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (count < 0 || count > INT32_MAX) throw Refusal{"has an unusable size"};
    if (place.kind == Hdf5Place::Kind::kText) {
      data.text = text(set, type, count);
      return;
    }
    const bool numbers = place.kind == Hdf5Place::Kind::kNumbers;
    if (kind != H5T_INTEGER && !(numbers && kind == H5T_FLOAT))
      throw Refusal{numbers ? "holds no numbers" : "holds no integers"};
    check_stored(set, type, count);
    if (numbers) {
      data.numbers.resize(count);
      read_values(set, H5T_NATIVE_DOUBLE, count, data.numbers.data());
    } else {
      data.integers.resize(count);
      read_values(set, H5T_NATIVE_INT, count, data.integers.data());
    }
  }

 private:
  std::string text(hid_t set, hid_t type, hssize_t count) const {
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0) return "";
    if (count != 1) throw Refusal{fmt::format("holds {} texts, expected one", count)};
    check_stored(set, type, count);
    std::string value(H5Tget_size(type), '\0');
    read_values(set, type, 1, value.data());
    value.resize(std::min(value.size(), value.find('\0')));
    return value;
  }

  static void read_values(hid_t set, hid_t type, hssize_t count, void* values) {
    if (count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
      throw Refusal{"cannot be read"};
  }

  // Checks that the file holds as much as the dataset declares, before memory is allocated for it.
  void check_stored(hid_t set, hid_t type, hssize_t count) const {
    const Handle plan(H5Dget_create_plist(set), H5Pclose);
    if (!plan.valid()) throw Refusal{"cannot be read"};
    if (H5Pget_external_count(plan) != 0) throw Refusal{"is stored in another file"};
    if (H5Pget_layout(plan) == H5D_VIRTUAL) throw Refusal{"is put together from other files"};
    if (count == 0) return;
    H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
    if (H5Dget_space_status(set, &status) < 0) throw Refusal{"cannot be read"};
    const std::size_t size = H5Tget_size(type), stored = H5Dget_storage_size(set);
    const double declared = static_cast<double>(size) * static_cast<double>(count);
    const bool packed = H5Pget_nfilters(plan) > 0;
    const std::size_t most = packed ? most_unpacked(stored) : stored;
    if (status == H5D_SPACE_STATUS_NOT_ALLOCATED || stored > bytes_ ||
        declared > static_cast<double>(most)) {
      throw Refusal{fmt::format("declares {} values, but {} bytes are all that is stored of them",
                                count, std::min(stored, bytes_))};
    }
  }

  hid_t file_;
  std::size_t bytes_;
};

void send(int fd, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = ::write(fd, at, size);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) _exit(1);
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

template <class Sequence>
void send_sequence(int fd, const Sequence& values) {
  const auto count = static_cast<std::uint64_t>(values.size());
  send(fd, &count, sizeof count);
  send(fd, values.data(), static_cast<std::size_t>(count) * sizeof(*values.data()));
}

// Sends one byte that says whether the file could be opened, then the data of the places.
void read_and_send(std::string_view bytes, std::span<const Hdf5Place> places, int fd) {
  keep_quiet();
  H5PLset_loading_state(0);
  const Handle access(memory_access(bytes), H5Pclose);
  const Handle opened(bytes.empty() ? -1 : H5Fopen("hdf5", H5F_ACC_RDONLY, access), H5Fclose);
  const char is_open = opened.valid() ? 1 : 0;
  send(fd, &is_open, 1);
  if (!is_open) return;
  const Datasets datasets(opened, bytes.size());
  for (const Hdf5Place& place : places) {
    Hdf5Data data;
    try {
      data.present = datasets.has(place.path);
      if (data.present) datasets.read(place, data);
    } catch (const Refusal& refusal) {
      data = {true, refusal.why, {}, {}, {}};
    }
    const char present = data.present ? 1 : 0;
    send(fd, &present, 1);
    send_sequence(fd, data.fault);
    send_sequence(fd, data.numbers);
    send_sequence(fd, data.integers);
    send_sequence(fd, data.text);
  }
}

// @param spare what the hard limit is above it: at the hard limit of time there is no SIGXCPU
void set_limit(int resource, std::size_t value, std::size_t spare = 0) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, value + spare);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, value);
  setrlimit(resource, &limit);
}

// Address space in use, bytes; 0 if that is unknown.
std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t seconds_to_read(std::size_t bytes) { return 5 + bytes / (20 * kMegabyte); }

// No core dump, no output on the terminal, no more time and memory than reading can take.
void confine(std::size_t bytes) {
  for (const int signal :
       {SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPIPE, SIGXCPU})
    std::signal(signal, SIG_DFL);
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, fd);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_CPU, seconds_to_read(bytes), 1);
#ifdef __linux__
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (const std::size_t used = address_space(); kMemoryLimits && used > 0)
    set_limit(RLIMIT_AS, used + 64 * kMegabyte + 4 * most_unpacked(bytes));
}

// ---- in the process that waits

// Reads from a pipe, with a limit on time.
class Incoming {
 public:
  Incoming(int fd, std::size_t seconds)
      : fd_(fd), end_(std::chrono::steady_clock::now() + std::chrono::seconds(seconds)) {}

  // False if the pipe ends, or the time is used up, before so many bytes have come.
  bool take(void* data, std::size_t size) {
    char* at = static_cast<char*>(data);
    while (size > 0) {
      using std::chrono::milliseconds;
      const auto left =
          std::chrono::duration_cast<milliseconds>(end_ - std::chrono::steady_clock::now());
      pollfd waiting = {fd_, POLLIN, 0};
      const int ready = left.count() > 0 ? poll(&waiting, 1, static_cast<int>(left.count())) : 0;
      if (ready < 0 && errno == EINTR) continue;
      late_ = ready == 0;
      if (ready <= 0) return false;
      const ssize_t got = ::read(fd_, at, size);
      if (got < 0 && errno == EINTR) continue;
      ended_ = got == 0;
      if (got <= 0) return false;
      at += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }

  template <class Sequence>
  bool take_sequence(Sequence& values, std::size_t most) {
    std::uint64_t count = 0;
    if (!take(&count, sizeof count) || count > most) return false;
    values.resize(static_cast<decltype(values.size())>(count));
    return take(values.data(), static_cast<std::size_t>(count) * sizeof(*values.data()));
  }

  bool take_data(Hdf5Data& data, std::size_t most) {
    char present = 0;
    if (!take(&present, 1)) return false;
    data.present = present != 0;
    return take_sequence(data.fault, most) && take_sequence(data.numbers, most) &&
           take_sequence(data.integers, most) && take_sequence(data.text, most);
  }

  // Why nothing more came: the time was used up, or the process had ended.
  bool late() const { return late_; }
  bool ended() const { return ended_; }

 private:
  int fd_;
  std::chrono::steady_clock::time_point end_;
  bool late_ = false, ended_ = false;
};

// Why the process that reads did not come to its end. @param status as from waitpid
std::string why_it_failed(const Incoming& incoming, int status) {
  const bool stopped =
      WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
  if (incoming.late() || (incoming.ended() && stopped))
    return "reading it takes longer than the limit for its size; it may be damaged";
  if (incoming.ended() && WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory)
    return "reading it takes more memory than the limit for its size; it may be damaged";
  return "the file is damaged: the HDF5 library fails on it";
}

// Starts the process that reads. @return the end of the pipe to read from, or -1
int start_reading(std::string_view bytes, std::span<const Hdf5Place> places, pid_t& child) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  child = fork();
  if (child == 0) {
    const int out = fcntl(ends[1], F_DUPFD_CLOEXEC,
                          STDERR_FILENO + 1);  // so that confine() does not replace it
    try {
      confine(bytes.size());
      read_and_send(bytes, places, out);
    } catch (const std::bad_alloc&) {  // what was sent shows at which place
      _exit(kOutOfMemory);
    } catch (...) {  // as if the library had failed
    }
    _exit(0);
  }
  close(ends[1]);
  if (child > 0) return ends[0];
  close(ends[0]);
  return -1;
}

}  // namespace

std::vector<Hdf5Data> read_hdf5(std::string_view bytes, std::span<const Hdf5Place> places,
                                const std::string& file) {
  pid_t child = -1;
  const int pipe_end = start_reading(bytes, places, child);
  if (pipe_end < 0) {
    throw InputError(
        fmt::format("{}: no process can be started to read it ({})", file, std::strerror(errno)));
  }
  Incoming incoming(pipe_end, 4 * seconds_to_read(bytes.size()));
  char is_open = 0;
  bool good = incoming.take(&is_open, 1);
  std::vector<Hdf5Data> result;
  while (good && is_open && result.size() < places.size()) {
    good = incoming.take_data(result.emplace_back(), most_unpacked(bytes.size()));
  }
  close(pipe_end);
  kill(child, SIGKILL);  // it may still be running
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (good && !is_open) throw InputError(file + ": is no HDF5 file, or a damaged one");
  if (!good) {
    const std::string at =
        result.empty() ? "" : fmt::format("field \"{}\": ", places[result.size() - 1].path);
    throw InputError(fmt::format("{}: {}{}", file, at, why_it_failed(incoming, status)));
  }
  return result;
}

namespace {

// Datasets do not store the time when they were made: the same problem gives the same bytes.
hid_t timeless_plan() {
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(plan, false);
  return plan;
}

}  // namespace

struct Hdf5Writer::File {
  Handle access{memory_access({}), H5Pclose};
  Handle file{H5Fcreate("hdf5", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose};
  Handle plan{timeless_plan(), H5Pclose};

  static void check(bool right) {
    if (!right) throw std::runtime_error("HDF5 could not write in memory");
  }
  void write(const std::string& path, hid_t type, hid_t stored, std::size_t count,
             const void* data) const {
    const auto size = static_cast<hsize_t>(count);
    const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    write(path, type, stored, space, data);
  }
  void write(const std::string& path, hid_t type, hid_t stored, const Handle& space,
             const void* data) const {
    const Handle set(H5Dcreate2(file, path.c_str(), stored, space, H5P_DEFAULT, plan, H5P_DEFAULT),
                     H5Dclose);
    check(set.valid());
    if (H5Sget_simple_extent_npoints(space) > 0)
      check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  }
};

Hdf5Writer::Hdf5Writer() {
  keep_quiet();
  file_ = std::make_unique<File>();
  File::check(file_->file.valid());
}

Hdf5Writer::~Hdf5Writer() = default;

void Hdf5Writer::group(const std::string& path) const {
  const hid_t id = H5Gcreate2(file_->file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  File::check(Handle(id, H5Gclose).valid());
}

void Hdf5Writer::numbers(const std::string& path, std::span<const double> values) const {
  file_->write(path, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, values.size(), values.data());
}

void Hdf5Writer::integers(const std::string& path, std::span<const int> values) const {
  file_->write(path, H5T_NATIVE_INT, H5T_STD_I32LE, values.size(), values.data());
}

void Hdf5Writer::text(const std::string& path, const std::string& value) const {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, value.size() + 1);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  file_->write(path, type, type, space, value.c_str());
}

std::string Hdf5Writer::bytes() const {
  File::check(H5Fflush(file_->file, H5F_SCOPE_LOCAL) >= 0);
  const ssize_t size = H5Fget_file_image(file_->file, nullptr, 0);
  File::check(size > 0);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  File::check(H5Fget_file_image(file_->file, bytes.data(), bytes.size()) == size);
  return bytes;
}

}  // namespace perp

#endif
