"""Runs the fuzzers of the readers, merges what they found, and measures what the corpora reach (README.md)."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/fuzz"
PROGRAM = BUILD / "tests/perp_fuzz"
CORPORA = ROOT / "tests/fuzz/corpora"

# Of each reader: files of the tree to begin with, the longest input in bytes, and the sources that read.
READERS = {
    "problem": (["problems/collections/*/*/*.json", "problems/collections/*/*.json"], 4096,
                ["problems/io/problem_reader.cpp", "problems/json/json.cpp", "problems/json/field.cpp", "problems/standard/validate.cpp"]),
    "sequence": ([], 4096, ["problems/io/sequence.cpp"]),
    "scene": (["problems/scenes/*.json"], 4096,
              ["problems/scenes/scene_json.cpp", "problems/scenes/shape_json.cpp", "problems/scenes/number_expression.cpp",
               "problems/scenes/number_fields.cpp", "problems/scenes/repetition.cpp", "problems/scenes/polyhedron.cpp"]),
    "result": ([], 4096, ["bench/harness/result_json.cpp"]),
    "suite": (["problems/suites/*.json"], 4096, ["bench/harness/suite.cpp"]),
    "study": (["bench/studies/*.json"], 8192,
              ["bench/studies/study.cpp", "bench/studies/claim.cpp", "bench/studies/table_rule.cpp", "bench/studies/bindings.cpp"]),
    "records": ([], 8192, ["bench/harness/record.cpp", "bench/harness/foreign_json.cpp", "bench/report/summary.cpp"]),
    "recording": ([], 4096, ["bench/report/simulations.cpp"]),
    "csv": ([], 4096, ["bench/report/csv.cpp", "bench/report/contact_histories.cpp"]),
    "gzip": ([], 4096, ["problems/io/files.cpp"]),
    "nl": (["problems/collections/foreign/*.nl"], 4096, ["problems/io/nl_reader.cpp", "problems/io/foreign_model.cpp"]),
    "mof": (["problems/collections/foreign/*.mof.json"], 4096, ["problems/io/mof_reader.cpp", "problems/io/foreign_model.cpp"]),
    "qps": ([], 4096, ["problems/io/qps.cpp"]),
    "fclib": ([], 65536, ["problems/io/fclib.cpp", "problems/io/hdf5_data.cpp", "problems/io/global_friction.cpp"]),
    "siconos": (["problems/collections/siconos/text/*.dat"], 4096, ["problems/io/siconos_text.cpp"]),
    "obj": ([], 4096, ["problems/scenes/obj_file.cpp", "problems/scenes/polyhedron.cpp"]),
    "mtx": ([], 4096, ["problems/io/matrix_market_reader.cpp", "problems/io/matrix_text.cpp", "problems/io/problem_parts.cpp"]),
    "csv-matrix": ([], 4096, ["problems/io/csv_matrix.cpp", "problems/io/matrix_text.cpp", "problems/io/problem_parts.cpp"]),
}
# No input of some KB may ask for more at once; gzip may unpack to 32 MB, and the text that grows holds twice that.
MALLOC_MB = {"gzip": 160}
SECONDS = 20  # that one input may take; the sanitizers make a reader about ten times slower
ENOUGH = 0.98  # of the minutes asked for
SMALLEST = 25  # files of a corpus that are kept for the tests


def environment(reader):
    scratch = "/dev/shm" if os.access("/dev/shm", os.W_OK) else str(BUILD)
    return os.environ | {"PERP_FUZZ_READER": reader, "TMPDIR": scratch, "PERP_DATA": str(ROOT),
                         "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
                         "ASAN_OPTIONS": "allocator_may_return_null=0:detect_leaks=1"}


def seeds(reader):
    """A folder with the files of the tree that the reader takes, as far as they are short."""
    patterns, longest, _ = READERS[reader]
    folder = BUILD / "seeds" / reader
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in (p for pattern in patterns for p in ROOT.glob(pattern)):
        if path.stat().st_size <= longest:
            shutil.copy(path, folder / path.name)
    return folder


def dictionary(reader, folders):
    """The options for the words that stand in the inputs: names of fields, sections, kinds."""
    words = set()
    for path in (p for folder in folders for p in folder.iterdir()):
        if reader not in ("gzip", "fclib"):
            words.update(re.findall(rb'"[A-Za-z_/-][\w./ -]{0,30}"|\b[A-Za-z_][\w-]{1,20}\b', path.read_bytes()))
    if not words:
        return []
    file = BUILD / f"{reader}.dict"
    file.write_text("".join('"' + word.decode().replace('"', '\\"') + '"\n' for word in sorted(words)[:2000]))
    return [f"-dict={file}"]


def fuzz(reader, minutes, seed):
    """@return the line of the report, and whether nothing was found. The minutes are of a core: if others use the machine, it takes longer."""
    grown, findings = BUILD / "corpora" / reader, BUILD / "findings" / reader
    for folder in (grown, findings):
        folder.mkdir(parents=True, exist_ok=True)
    given = [CORPORA / reader, seeds(reader)]
    words = dictionary(reader, given)
    log = BUILD / f"{reader}.log"
    runs, core, good = 0, 0.0, True
    while good and core < ENOUGH * minutes:
        with log.open("w") as out:
            process = subprocess.Popen(
                [PROGRAM, f"-max_total_time={max(1, round(60 * (minutes - core)))}", f"-timeout={SECONDS}", "-rss_limit_mb=2048",
                 f"-malloc_limit_mb={MALLOC_MB.get(reader, 64)}", f"-max_len={READERS[reader][1]}", f"-seed={seed}",
                 "-print_final_stats=1", *words, f"-artifact_prefix={findings}/", grown, *given],
                stdout=out, stderr=subprocess.STDOUT, env=environment(reader))
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        text = log.read_text(errors="replace")
        runs += sum(int(count) for count in re.findall(r"number_of_executed_units: (\d+)", text))
        core += (used.ru_utime + used.ru_stime) / 60
        good = process.returncode == 0
        seed += 1
    edges = re.findall(r"cov: (\d+)", text)
    what = "nothing found" if good else "FOUND: " + finding(text)
    return f"{reader:10} {runs:>10} inputs  {edges[-1] if edges else '?':>6} edges  {core:5.1f} min of a core  {what}", good


def finding(text):
    """What libFuzzer and the sanitizers say in a line."""
    for pattern in (r"SUMMARY: (.*)", r"what\(\): +(.*)", r"runtime error: (.*)", r"ERROR: (.*)"):
        if found := re.findall(pattern, text):
            more = re.findall(r"what\(\): +(.*)", text)
            return (f"{more[-1]}; " if more and more[-1] != found[-1] else "") + found[-1]
    return "see the log in build/fuzz/"


def merge(reader):
    """Adds inputs that reach what the committed ones do not, the fewest that do, as far as there is room."""
    grown, kept = BUILD / "corpora" / reader, BUILD / "merged" / reader
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    for path in (CORPORA / reader).iterdir():
        shutil.copy(path, kept)
    before = {p.name for p in kept.iterdir()}
    subprocess.run([PROGRAM, "-set_cover_merge=1", f"-max_len={READERS[reader][1]}", kept, grown], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(reader))
    added = sorted((p for p in kept.iterdir() if p.name not in before), key=lambda p: p.stat().st_size)
    room = max(0, SMALLEST - len(before))
    for path in added[:room]:
        shutil.copy(path, CORPORA / reader / path.name[:12])
    return f"{reader}: {len(before)} + {min(len(added), room)} of {len(added)} inputs"


def memcheck(reader):
    """@return a line, and whether nothing read what was never written"""
    program = ROOT / "build/release/tests/perp_corpora"
    done = subprocess.run(["valgrind", "--quiet", "--error-exitcode=3", "--child-silent-after-fork=yes", program, CORPORA, reader],
                          capture_output=True, text=True, env=environment(reader))
    return f"{reader}: " + ("clean" if done.returncode == 0 else "\n" + done.stdout + done.stderr), done.returncode == 0


def edges_of(reader, folders):
    """{source: [edges that the inputs reach, edges]} of the reader's sources; a function that is inlined counts where it is."""
    done = subprocess.run([PROGRAM, "-runs=0", "-print_coverage=1", f"-max_len={READERS[reader][1]}", *folders], capture_output=True, text=True,
                          errors="replace", check=True, env=environment(reader))
    found = {source: [0, 0] for source in READERS[reader][2]}
    for reached, edges, path in re.findall(r"COVERED_FUNC: hits: \d+ edges: (\d+)/(\d+) .* (\S+):\d+$", done.stderr, re.MULTILINE):
        for source, counts in found.items():
            if path.endswith("/" + source):
                counts[0] += int(reached)
                counts[1] += int(edges)
    return found


def coverage(reader):
    """Which edges of the reader's functions the committed corpus reaches, and which with what fuzzing here has found."""
    grown = BUILD / "corpora" / reader
    committed = edges_of(reader, [CORPORA / reader])
    found = edges_of(reader, [CORPORA / reader, grown]) if grown.is_dir() else committed
    return "\n".join(f"{reader:10} {source:45} {committed[source][0]:5} {reached:5} of {edges:5} edges, {100 * reached / max(edges, 1):.0f} %"
                     for source, (reached, edges) in found.items())


def main():
    parser = argparse.ArgumentParser(prog="tests/fuzz/run", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"of {', '.join(READERS)}; all if none is named")
    parser.add_argument("--minutes", type=float, default=1.0, help="of a core, for each reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="readers at a time")
    parser.add_argument("--merge", action="store_true", help="add what was found to reach more to tests/fuzz/corpora")
    parser.add_argument("--memcheck", action="store_true", help="the corpora under valgrind")
    parser.add_argument("--coverage", action="store_true", help="which branches of the readers the corpora reach")
    options = parser.parse_args()
    for name in options.readers:
        if name not in READERS:
            parser.error(f"no reader {name}; there are {', '.join(READERS)}")
    names = options.readers or list(READERS)
    good = True
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if options.merge or options.coverage:
            for line in pool.map(merge if options.merge else coverage, names):
                print(line, flush=True)
            return 0
        attack = memcheck if options.memcheck else lambda name: fuzz(name, options.minutes, options.seed)
        for line, nothing in pool.map(attack, names):
            print(line, flush=True)
            good &= nothing
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
