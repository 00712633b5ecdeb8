"""Debian packages: their names, fields and files. cmake/package --check installs them in a clean Debian."""
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tree import BUILD, CMAKE, ROOT, run  # noqa: E402

# What find_dependency(NAME) of perpConfig.cmake.in needs. The compiler brings Threads along.
DEVELOPMENT = {"Eigen3": "libeigen3-dev", "KLU": "libsuitesparse-dev", "GMP": "libgmp-dev", "MPFR": "libmpfr-dev",
               "nlohmann_json": "nlohmann-json3-dev", "fmt": "libfmt-dev", "ZLIB": "zlib1g-dev", "Qhull": "libqhull-dev",
               "ccd": "libccd-dev", "orocos_kdl": "liborocos-kdl-dev", "HDF5C": "libhdf5-dev", "Threads": None}


@unittest.skipUnless(shutil.which("dpkg-shlibdeps") and shutil.which("dpkg-deb"), "this is no Debian with dpkg-dev")
class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="perp-packages-"))
        cpack = shutil.which("cpack", path=str(pathlib.Path(shutil.which(CMAKE)).parent)) or "cpack"
        cls.made = run(cpack, "-G", "DEB", "-B", cls.folder, cwd=BUILD)
        cls.packages = {path.name.split("_")[0]: path for path in cls.folder.glob("*.deb")}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def field(self, package, name):
        return run("dpkg-deb", "-f", self.packages[package], name).stdout.strip()

    def files(self, package):
        listed = run("dpkg-deb", "-c", self.packages[package]).stdout.splitlines()
        return {line.split()[5][1:] for line in listed if not line.endswith("/")}

    def setUp(self):
        self.assertEqual(self.made.returncode, 0, self.made.stdout + self.made.stderr)

    def test_packages_are_named_and_described(self):
        self.assertLessEqual({"perp", "libperp-dev"}, set(self.packages))
        self.assertLessEqual(set(self.packages), {"perp", "libperp-dev", "python3-perp"})
        version = re.search(r"project\(perp VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        for name, path in self.packages.items():
            self.assertEqual(self.field(name, "Package"), name)
            self.assertEqual(self.field(name, "Version"), version)
            self.assertGreater(len(self.field(name, "Description").splitlines()), 4)
            self.assertIn(f"/usr/share/doc/{name}/copyright", self.files(name))

    def test_no_file_is_in_two_packages(self):
        seen = set()
        for name in self.packages:
            files = self.files(name)
            self.assertFalse(seen & files, name)
            seen |= files

    def test_the_program_has_its_data_and_libraries(self):
        files = self.files("perp")
        for file in ("bin/perp", "share/perp/problems/suites/contact-lcp.json", "share/perp/bench/studies/main.json",
                     "share/perp/bench/report/page/page.js"):
            self.assertIn(f"/usr/{file}", files)
        depends = self.field("perp", "Depends")
        for library in ("libc6", "libklu1", "libmpfr6", "libstdc++6"):
            self.assertIn(library, depends)
        self.assertNotIn("-dev", depends)

    def test_the_libraries_depend_on_what_their_cmake_package_looks_for(self):
        depends = set(self.field("libperp-dev", "Depends").split(", "))
        text = (BUILD / "perpConfig.cmake").read_text()
        wanted = {DEVELOPMENT[name] for name in re.findall(r"find_dependency\((\w+)", text)} - {None}
        if not re.search(r'if\("(1|TRUE)"\)', text):  # HDF5C_FOUND
            wanted.discard("libhdf5-dev")
        self.assertEqual(depends, wanted)
        self.assertTrue(any(f.endswith("/cmake/perp/perpConfig.cmake") for f in self.files("libperp-dev")))
        self.assertIn("/usr/include/perp_plugin.h", self.files("libperp-dev"))


class Components(unittest.TestCase):
    def test_every_rule_has_one(self):
        for path in [ROOT / "cmake/PerpInstall.cmake", *ROOT.glob("*/CMakeLists.txt"), *ROOT.glob("*/*/CMakeLists.txt")]:
            if path.relative_to(ROOT).parts[0].startswith("build"):
                continue
            for rule in re.split(r"^\s*install\(", path.read_text(), flags=re.M)[1:]:
                self.assertIn("COMPONENT", rule, path)


if __name__ == "__main__":
    unittest.main()
