#include <perp/bench/peers/catalogue.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <perp/bench/data/data_files.hpp>
#include <perp/bench/processes/command.hpp>
#include <perp/bench/processes/external_solver.hpp>
#include <stdexcept>

namespace perp {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSiconos = "perp-peer-siconos";
constexpr std::string_view kBullet = "perp-peer-bullet";
constexpr std::string_view kDart = "perp-peer-dart";
constexpr std::string_view kIpopt = "perp-peer-ipopt";
constexpr std::string_view kPetsc = "perp-peer-petsc";
constexpr std::string_view kPetscMpi = "perp-peer-petsc-mpi";
constexpr std::string_view kPath = "perp-peer-path";

const std::vector<std::string_view> kLcp = {"lcp"};
const std::vector<std::string_view> kBoth = {"lcp", "mlcp"};
const std::vector<std::string_view> kUpToNonlinear = {"lcp", "mlcp", "mcp"};
const std::vector<std::string_view> kPrograms = {"lcp", "mlcp", "conic_qp"};
const std::vector<std::string_view> kFriction = {"friction_contact"};

// Words of the shell that start the processes of a peer that uses MPI; else empty.
std::string starter(const Peer& peer) {
  if (peer.program != kPetscMpi) return {};
  const char* command = std::getenv("PERP_MPIRUN");
  return fmt::format("{} ", command && *command ? command : "mpirun -n 2");
}

std::vector<Peer> siconos() {
  return {
      {{"siconos-lemke", "Siconos: Lemke's method, lexicographic", "Lemke1965", kBoth, 0, false},
       kSiconos},
      {{"siconos-avi", "Siconos: pivoting for affine variational inequalities", "CaoFerris1996",
        kBoth, 0, false},
       kSiconos},
      {{"siconos-newton-fb", "Siconos: semismooth Newton on Fischer-Burmeister",
        "DeLucaFacchineiKanzow1996", kBoth},
       kSiconos},
      {{"siconos-newton-min-fb", "Siconos: Newton on the min map, merit Fischer-Burmeister",
        "FacchineiPang2003", kBoth},
       kSiconos},
      {{"siconos-newton-min", "Siconos: Newton on the min map", "FacchineiPang2003", kBoth, 0,
        false},
       kSiconos},
      {{"siconos-pathsearch", "Siconos: path search", "DirkseFerris1995", kBoth}, kSiconos},
      {{"siconos-pgs", "Siconos: projected Gauss-Seidel", "CottlePangStone2009", kBoth}, kSiconos},
      {{"siconos-rpgs", "Siconos: regularised projected Gauss-Seidel", "CottlePangStone2009",
        kBoth},
       kSiconos},
      {{"siconos-cpg", "Siconos: conjugated projected gradient", "", kBoth}, kSiconos},
      {{"siconos-latin", "Siconos: LATIN", "", kBoth, 0, false}, kSiconos},
      {{"siconos-nsgs", "Siconos: nonsmooth Gauss-Seidel", "AcaryBremondHuber2018", kFriction},
       kSiconos},
      {{"siconos-prox", "Siconos: proximal point, inner semismooth Newton", "AcaryBremondHuber2018",
        kFriction},
       kSiconos},
      {{"siconos-nsn-ac", "Siconos: semismooth Newton, Alart-Curnier", "AlartCurnier1991",
        kFriction},
       kSiconos},
      {{"siconos-nsn-fb", "Siconos: semismooth Newton, Fischer-Burmeister", "AcaryBremondHuber2018",
        kFriction},
       kSiconos},
      {{"siconos-admm", "Siconos: alternating directions", "AcaryBremondHuber2018", kFriction},
       kSiconos},
  };
}

std::vector<Peer> petsc() {
  return {
      {{"petsc-rsls-lu", "PETSc: reduced-space active sets, LU", "BensonMunson2006", kBoth},
       kPetsc},
      {{"petsc-rsls-gmres", "PETSc: reduced-space active sets, GMRES", "BensonMunson2006", kBoth},
       kPetsc},
      {{"petsc-ssls-lu", "PETSc: semismooth Newton, LU", "DeLucaFacchineiKanzow1996", kBoth},
       kPetsc},
      {{"petsc-ssls-gmres", "PETSc: semismooth Newton, GMRES", "DeLucaFacchineiKanzow1996", kBoth},
       kPetsc},
      {{"petsc-ssils-lu", "PETSc TAO: infeasible semismooth Newton, LU",
        "MunsonFacchineiFerrisFischerKanzow2001", kBoth},
       kPetsc},
      {{"petsc-ssils-gmres", "PETSc TAO: infeasible semismooth Newton, GMRES",
        "MunsonFacchineiFerrisFischerKanzow2001", kBoth},
       kPetsc},
      {{"petsc-asils-lu", "PETSc TAO: infeasible active-set semismooth Newton, LU",
        "MunsonFacchineiFerrisFischerKanzow2001", kBoth},
       kPetsc},
      {{"petsc-asils-gmres", "PETSc TAO: infeasible active-set semismooth Newton, GMRES",
        "MunsonFacchineiFerrisFischerKanzow2001", kBoth},
       kPetsc},
      {{"petsc-gpcg", "PETSc TAO: gradient projection and conjugate gradients, symmetric M",
        "MoreToraldo1991", kBoth},
       kPetsc},
  };
}

std::vector<Peer> petsc_over_mpi() {
  return {
      {{"petsc-mpi-rsls-gmres", "PETSc over MPI: reduced-space active sets, GMRES",
        "BensonMunson2006", kUpToNonlinear},
       kPetscMpi},
      {{"petsc-mpi-rsls-amg", "PETSc over MPI: reduced-space active sets, CG, algebraic multigrid",
        "BensonMunson2006", kUpToNonlinear},
       kPetscMpi},
      {{"petsc-mpi-ssls-gmres", "PETSc over MPI: semismooth Newton, GMRES",
        "DeLucaFacchineiKanzow1996", kUpToNonlinear},
       kPetscMpi},
      {{"petsc-mpi-ssils-gmres", "PETSc TAO over MPI: infeasible semismooth Newton, GMRES",
        "MunsonFacchineiFerrisFischerKanzow2001", kUpToNonlinear},
       kPetscMpi},
      {{"petsc-mpi-gpcg", "PETSc TAO over MPI: gradient projection, conjugate gradients",
        "MoreToraldo1991", kBoth},
       kPetscMpi},
  };
}

std::vector<Peer> others() {
  return {
      {{"bullet-dantzig", "Bullet: Dantzig's method", "CottleDantzig1968", kBoth, 0, false},
       kBullet},
      {{"bullet-lemke", "Bullet: Lemke's method", "Lemke1965", kLcp, 0, false}, kBullet},
      {{"bullet-pgs", "Bullet: projected Gauss-Seidel", "CottlePangStone2009", kBoth}, kBullet},
      {{"dart-dantzig", "DART: Dantzig's method", "CottleDantzig1968", kBoth, 0, false}, kDart},
      {{"dart-pgs", "DART: projected Gauss-Seidel", "CottlePangStone2009", kBoth}, kDart},
      {{"ipopt", "Ipopt: interior point with a filter, symmetric M", "WaechterBiegler2006",
        kPrograms},
       kIpopt},
      {{"path", "PATH: path search on the normal map, of your own library", "DirkseFerris1995",
        kUpToNonlinear},
       kPath,
       "PERP_PATH_LIBRARY"},
  };
}

}  // namespace

const std::vector<Peer>& peers() {
  static const std::vector<Peer> list = [] {
    std::vector<Peer> all;
    for (const auto& of : {siconos(), others(), petsc(), petsc_over_mpi()})
      all.insert(all.end(), of.begin(), of.end());
    return all;
  }();
  return list;
}

std::string program_beside(std::string_view name) {
  std::error_code error;
  const fs::path folder = program_file().parent_path();
  if (folder.empty()) return {};
  for (const fs::path& place : {folder, folder.parent_path() / "libexec" / "perp"}) {
    const fs::path program = place / name;
    if (fs::is_regular_file(program, error)) return program.string();
  }
  return {};
}

std::string program_of(const Peer& peer) {
  if (!peer.variable.empty()) {
    const char* value = std::getenv(std::string(peer.variable).c_str());
    if (!value || !*value) return {};
  }
  return program_beside(peer.program);
}

std::vector<Peer> available_peers() {
  std::vector<Peer> available;
  std::copy_if(peers().begin(), peers().end(), std::back_inserter(available),
               [](const Peer& peer) { return !program_of(peer).empty(); });
  return available;
}

const Peer* find_peer(std::string_view name) {
  const auto it = std::find_if(peers().begin(), peers().end(),
                               [&](const Peer& peer) { return peer.traits.name == name; });
  return it == peers().end() ? nullptr : &*it;
}

std::unique_ptr<Solver> make_peer(const Peer& peer) {
  const std::string program = program_of(peer);
  if (program.empty() && !peer.variable.empty() && !program_beside(peer.program).empty()) {
    throw std::invalid_argument(fmt::format(
        "solver \"{}\": the variable {} must name your library; docs/reference/peers.md "
        "tells how",
        peer.traits.name, peer.variable));
  }
  if (program.empty()) {
    throw std::invalid_argument(fmt::format(
        "solver \"{}\": its program {} is not built; docs/reference/peers.md tells what it needs",
        peer.traits.name, peer.program));
  }
  // One thread, as for perp's own solvers. What the library prints is not kept.
  return std::make_unique<ExternalSolver>(
      fmt::format("OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 exec {}{} {} 2>/dev/null",
                  starter(peer), shell_word(program), peer.traits.name),
      peer.traits);
}

}  // namespace perp
