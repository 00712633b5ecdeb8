# Shared by bench/run, tests/run and .ci/run: Debian packages that perp needs, and the build.
# Sourced from the repository's root.

PERP_PACKAGES="g++ cmake ninja-build ccache libeigen3-dev libsuitesparse-dev libgmp-dev libmpfr-dev nlohmann-json3-dev libcli11-dev
  libfmt-dev zlib1g-dev libhdf5-dev libqhull-dev libccd-dev liborocos-kdl-dev libgtest-dev libbenchmark-dev libamplsolver-dev python3
  python3-jsonschema"

# The libraries of the peers (docs/reference/peers.md); only ./bench/run peers installs them.
PERP_PEER_PACKAGES="libsiconos-numerics-dev libbullet-dev libode-dev petsc-dev libdart-dev libmujoco-dev
  coinor-libipopt-dev pkg-config"

# The Python module and its tests, and what tests of documented Python code use; only .ci/run installs them.
# Without them the module is not built, and its tests are left out.
PERP_PYTHON_PACKAGES="pybind11-dev python3-dev python3-numpy python3-scipy python3-pandas python3-mpmath python3-pip
  python3-wheel python3-venv python3-nbconvert python3-ipykernel mypy"

# What makes the site of the pages and the reference of the headers; only docs/site and .ci/run install them.
PERP_DOCS_PACKAGES="mkdocs doxygen"

# What draws and tests the pages of reports (tests/browser); only tests/browser/run installs them.
# A node from elsewhere brings its npm along, and Debian's would not go with it.
PERP_BROWSER_PACKAGES="chromium"
command -v npm >/dev/null || PERP_BROWSER_PACKAGES="$PERP_BROWSER_PACKAGES nodejs npm"

# Compiler and library of the fuzzers (tests/fuzz/README.md); only tests/fuzz/run installs them.
PERP_FUZZ_PACKAGES="clang llvm"

# perp_install_packages [PACKAGE]...: installs what is missing of these, or of those that perp needs; says clearly
# what to do where it may not.
perp_install_packages() {
  local missing="" package packages="${*:-$PERP_PACKAGES}"
  if ! command -v dpkg-query >/dev/null; then
    echo "perp: this is no Debian system; make sure that you have the equivalents of:" $packages >&2
    return 0
  fi
  for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
  done
  [ -z "$missing" ] && return 0
  local as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    as_root="sudo"
    if ! command -v sudo >/dev/null; then
      echo "perp: these packages are missing, and there is neither root nor sudo to install them:$missing" >&2
      return 1
    fi
  fi
  echo "perp: installing$missing" >&2
  export DEBIAN_FRONTEND=noninteractive
  { $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends $missing; } >&2 || {
    echo "perp: these packages could not be installed; please install them yourself:$missing" >&2
    return 1
  }
}

# perp_build PRESET [TARGET]...
# A build directory that it makes compiles eight sources at a time, which takes about half as long; one that was
# made by "cmake --preset PRESET" compiles them one by one, as suits those who change them.
perp_build() {
  local preset="$1" unity=""
  shift
  [ -e "build/$preset/CMakeCache.txt" ] || unity="-DCMAKE_UNITY_BUILD=ON"
  cmake --preset "$preset" $unity >/dev/null || { echo "perp: cmake --preset $preset failed" >&2; return 1; }
  cmake --build --preset "$preset" --parallel "$(nproc)" ${1:+--target "$@"}
}
