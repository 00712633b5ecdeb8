#!/bin/sh
# Installs the packages of perp in a clean Debian and tries them; cmake/package --check runs it there.
# The program comes first and alone, so that a dependency that is missing is noticed.
set -eu
cd /check
export DEBIAN_FRONTEND=noninteractive
install_packages() { apt-get install -y -qq --no-install-recommends "$@" > apt.log 2>&1 || { cat apt.log; exit 1; }; }
step() { echo "== $*"; }

step "perp: version, a solve, a simulation, a benchmark and its report"
install_packages ./perp_*.deb
perp --version
perp solve /usr/share/perp/problems/collections/siconos/lcp/lcp_mmc.json
perp simulate box-stack --param rows=2 --duration 0.1
perp bench literature --quick --repeat 1 --solvers lemke -o bench
perp report bench -o bench.html > report.log
perp list studies > studies.txt
grep -q '^ *main ' studies.txt

step "libperp-dev: a project that uses the libraries"
install_packages ./libperp-dev_*.deb g++ cmake ninja-build
cmake -G Ninja -S consumer -B build -DCMAKE_BUILD_TYPE=Release > configure.log || { cat configure.log; exit 1; }
cmake --build build
./build/consumer

if ls python3-perp_*.deb > python.txt 2>&1; then
  step "python3-perp: import, a solve, and where its data is"
  install_packages ./python3-perp_*.deb
  python3 - <<'END'
import numpy
import perp

result = perp.solve(perp.lcp(numpy.array([[2.0, 1.0], [1.0, 2.0]]), numpy.array([-4.0, 1.0])))
print(perp.__version__, perp.__file__, perp.data_folder(), result.status, result.z)
assert str(result.status) == "solved" and str(perp.data_folder()) == "/usr/share/perp"
END
fi
step "everything is right"
