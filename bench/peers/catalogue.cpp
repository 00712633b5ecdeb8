#include <perp/bench/peers/catalogue.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
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

const std::vector<std::string_view> kLcp = {"lcp"};
const std::vector<std::string_view> kBoth = {"lcp", "mlcp"};
const std::vector<std::string_view> kPrograms = {"lcp", "mlcp", "conic_qp"};
const std::vector<std::string_view> kFriction = {"friction_contact"};

}  // namespace

const std::vector<Peer>& peers() {
  static const std::vector<Peer> list = {
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
      {{"bullet-dantzig", "Bullet: Dantzig's method", "CottleDantzig1968", kBoth, 0, false},
       kBullet},
      {{"bullet-lemke", "Bullet: Lemke's method", "Lemke1965", kLcp, 0, false}, kBullet},
      {{"bullet-pgs", "Bullet: projected Gauss-Seidel", "CottlePangStone2009", kBoth}, kBullet},
      {{"dart-dantzig", "DART: Dantzig's method", "CottleDantzig1968", kBoth, 0, false}, kDart},
      {{"dart-pgs", "DART: projected Gauss-Seidel", "CottlePangStone2009", kBoth}, kDart},
      {{"ipopt", "Ipopt: interior point with a filter, symmetric M", "WaechterBiegler2006",
        kPrograms},
       kIpopt},
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
  return list;
}

std::string program_of(const Peer& peer) {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return {};
  for (const fs::path& place : {folder, folder.parent_path() / "libexec" / "perp"}) {
    const fs::path program = place / peer.program;
    if (fs::is_regular_file(program, error)) return program.string();
  }
  return {};
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
  if (program.empty()) {
    throw std::invalid_argument(
        fmt::format("solver \"{}\": its program {} is not built; docs/peers.md tells what it needs",
                    peer.traits.name, peer.program));
  }
  // One thread, as for perp's own; what the library says on the way is not kept.
  return std::make_unique<ExternalSolver>(
      fmt::format("OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 exec {} {} 2>/dev/null",
                  shell_word(program), peer.traits.name),
      peer.traits);
}

}  // namespace perp
