"""PEP 517 build of the wheel over CMake, without anything beside the standard library, cmake and a compiler.

    pip install --no-build-isolation .

The wheel holds the module, the perp program that studies run, and the data (suites, scenes, studies, collections).
Settings (pip's --config-settings): build-dir=DIR keeps the build there, cmake-args=ARGS are passed on; built=DIR takes
a finished build, as ./tests/run leaves it in build/release, as it is."""
import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
NAME = "perp"


def _version():
    return re.search(r"project\(perp VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)


def _metadata():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    summary = re.search(r'^description = "(.*)"$', text, re.M).group(1)
    needs = re.search(r"^dependencies = \[(.*)\]$", text, re.M).group(1)
    lines = ["Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {_version()}", f"Summary: {summary}",
             "Requires-Python: >=3.9", *(f"Requires-Dist: {need}" for need in re.findall(r'"([^"]+)"', needs)),
             "Provides-Extra: frames", 'Requires-Dist: pandas; extra == "frames"',
             "Description-Content-Type: text/markdown"]
    return "\n".join(lines) + "\n\n" + (ROOT / "README.md").read_text(encoding="utf-8")


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def _run(*command):
    print("perp:", shlex.join(map(str, command)), flush=True)
    subprocess.run([str(word) for word in command], check=True)


def _build(folder, arguments):
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    made = (folder / "CMakeCache.txt").exists()
    _run("cmake", "-S", ROOT, "-B", folder, *([] if made else [*generator, "-DCMAKE_BUILD_TYPE=Release",
         "-DCMAKE_UNITY_BUILD=ON"]), "-DPERP_BUILD_PYTHON=ON", f"-DPERP_PYTHON_FOR_MODULE={sys.executable}",
         "-DPERP_BUILD_TESTS=OFF", "-DPERP_BUILD_PEERS=OFF", *arguments)
    _run("cmake", "--build", folder, "--parallel", os.cpu_count() or 1, "--target", "perp_python", "perp")


def _collect(build, package):
    """The package as it is installed."""
    with tempfile.TemporaryDirectory() as scratch:
        stage = pathlib.Path(scratch)
        for component in ("python", "program"):
            _run("cmake", "--install", build, "--component", component, "--prefix", stage, "--strip")
        shutil.move(next(stage.glob("lib/python*/dist-packages/perp")), package)
        shutil.move(stage / "bin", package / "bin")
        (package / "share").mkdir()
        shutil.move(stage / "share" / "perp", package / "share" / "perp")


def _digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _dist_info():
    info = f"{NAME}-{_version()}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: perp\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    return info, {f"{info}/METADATA": _metadata(), f"{info}/WHEEL": wheel,
                  f"{info}/entry_points.txt": "[console_scripts]\nperp = perp.__main__:main\n",
                  f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8")}


def _write_wheel(directory, files):
    """files: name -> (bytes, mode). Written under another name first."""
    info, texts = _dist_info()
    name = f"{NAME}-{_version()}-{_tag()}.whl"
    files = {**files, **{place: (text.encode(), 0o644) for place, text in texts.items()}}
    rows = io.StringIO()
    table = csv.writer(rows, lineterminator="\n")
    for place in sorted(files):
        table.writerow([place, _digest(files[place][0]), len(files[place][0])])
    table.writerow([f"{info}/RECORD", "", ""])
    files[f"{info}/RECORD"] = (rows.getvalue().encode(), 0o644)
    target = pathlib.Path(directory) / name
    with zipfile.ZipFile(f"{target}.tmp", "w", zipfile.ZIP_DEFLATED) as archive:
        for place in sorted(files):
            item = zipfile.ZipInfo(place, (1980, 1, 1, 0, 0, 0))  # the same files give the same wheel
            item.external_attr = (0o100000 | files[place][1]) << 16
            archive.writestr(item, files[place][0], zipfile.ZIP_DEFLATED)
    os.replace(f"{target}.tmp", target)
    return name


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info, texts = _dist_info()
    for place, text in texts.items():
        path = pathlib.Path(metadata_directory) / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = config_settings or {}
    with tempfile.TemporaryDirectory(prefix="perp-wheel-") as scratch:
        build = pathlib.Path(settings.get("built") or settings.get("build-dir") or f"{scratch}/build").resolve()
        if not settings.get("built"):
            _build(build, shlex.split(settings.get("cmake-args", "")))
        package = pathlib.Path(scratch) / NAME
        _collect(build, package)
        files = {f"{NAME}/{path.relative_to(package).as_posix()}": (path.read_bytes(), path.stat().st_mode & 0o755 | 0o644)
                 for path in package.rglob("*") if path.is_file()}
        return _write_wheel(wheel_directory, files)


def build_sdist(sdist_directory, config_settings=None):
    """What git tracks, with PKG-INFO."""
    base = f"{NAME}-{_version()}"
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=True).stdout
    target = pathlib.Path(sdist_directory) / f"{base}.tar.gz"
    with tarfile.open(f"{target}.tmp", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(filter(None, listed.decode().split("\0"))):
            archive.add(ROOT / name, f"{base}/{name}", recursive=False)
        data = _metadata().encode()
        item = tarfile.TarInfo(f"{base}/PKG-INFO")
        item.size = len(data)
        archive.addfile(item, io.BytesIO(data))
    os.replace(f"{target}.tmp", target)
    return target.name
