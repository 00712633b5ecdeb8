"""perp compare and bench/compare: exit codes, losses by name, planted changes of times, bad input."""
import json
import os
import shlex
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import PERP, ROOT, CliTestCase, is_sanitized, lcp, parse_json, with_cases  # noqa: E402

SUITE = {"format": "perp-suite", "version": 1, "name": "tiny", "description": "Small members.",
         "entries": [{"family": "psd", "sizes": [3, 4, 5], "seeds": [1, 4]}]}
PROBLEMS = 12


class CompareTestCase(CliTestCase):
    def bench(self, out, *arguments, what=None, solvers="lemke,newton-fb"):
        what = what or self.write("tiny.json", SUITE)
        self.succeed("bench", what, "--solvers", solvers, "--repeat", "3", *arguments, "-o", self.folder / out)
        return self.folder / out

    def edit(self, folder, change):
        """Every record of a run, changed by a function, which may return None to drop it."""
        path = folder / "records.jsonl"
        records = [change(json.loads(line)) for line in path.read_text().splitlines()]
        path.write_text("".join(json.dumps(record) + "\n" for record in records if record is not None))

    def timed(self, folder, factor=lambda record: 1.0):
        """Times of our own making in the place of those of the clock: from 1 to 12 ms."""
        places = {}

        def change(record):
            times = record["times"]
            seconds = 1e-3 * (1 + places.setdefault(record["instance"], len(places))) * factor(record)
            times.update(setup=0.0, solve=seconds, total=seconds, setup_all=[0.0] * 3,
                         solve_all=[0.99 * seconds, seconds, 1.01 * seconds])
            return record
        self.edit(folder, change)
        return folder

    def compare(self, old, new, *arguments, code=0):
        done = self.perp("compare", old, new, *arguments)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        return done.stdout

    def compare_json(self, old, new, *arguments, code=0):
        document = parse_json(self.compare(old, new, "--json", *arguments, code=code))
        return document, {(g["suite"], g["solver"]): g for g in document["groups"]}

    def program(self, name, text):
        path = self.write(name, text)
        path.chmod(0o755)
        return path


class TestCompare(CompareTestCase):
    def answers(self, *answers):
        """Runs of one solver, `mine`, that prints each of these answers to the problem with the solution (2, 0)."""
        problem = self.write("problem.json", lcp())
        for k, answer in enumerate(answers):
            command = f"exec:cat >/dev/null; echo {shlex.quote(answer)}"
            self.bench(f"run-{k}", what=problem, solvers=f"mine={command}")
        return [self.folder / f"run-{k}" for k in range(len(answers))]

    GOOD, WRONG, NONE = '{"z": [2, 0]}', '{"z": [1, 5], "status": "solved"}', '{"z": [0, 0], "status": "stalled"}'

    def test_two_runs_of_one_build_lose_nothing(self):
        old, new = self.bench("old"), self.bench("new")
        text = self.compare(old, new)
        self.assertIn("both runs are of one build", text)
        self.assertIn("\nlost 0, wrong 0, gained 0;", text)
        _, groups = self.compare_json(old, new)
        self.assertEqual(set(groups), {("tiny", "lemke"), ("tiny", "newton-fb")})
        for group in groups.values():
            self.assertEqual((group["compared"], group["solved"], group["only_old"], group["only_new"]),
                             (PROBLEMS, [PROBLEMS] * 2, 0, 0))

    def test_a_loss_is_named(self):
        old, new = self.answers(self.GOOD, self.NONE)
        text = self.compare(old, new, code=1)
        self.assertRegex(text, r"\nlost: .*, mine\*?, problem: solved in .* -> stalled after .*, residual ")
        document, groups = self.compare_json(old, new, code=1)
        (group,) = groups.values()
        self.assertEqual((document["lost"], document["wrong"], group["solved"]), (1, 0, [1, 0]))
        lost = group["lost"][0]
        self.assertEqual((lost["instance"], lost["old"]["outcome"], lost["new"]["outcome"], lost["near_limit"]),
                         ("problem", "solved", "stalled", False))
        # The other way round it is gained.
        document, groups = self.compare_json(new, old)
        self.assertEqual((document["lost"], [p["instance"] for p in list(groups.values())[0]["gained"]]), (0, ["problem"]))

    def test_a_refuted_claim(self):
        stalled, wrong, good = self.answers(self.NONE, self.WRONG, self.GOOD)
        document, _ = self.compare_json(stalled, wrong, code=1)
        self.assertEqual((document["lost"], document["wrong"]), (0, 1))
        document, _ = self.compare_json(good, wrong, code=1)
        self.assertEqual((document["lost"], document["wrong"]), (1, 1))
        self.assertEqual(self.compare_json(wrong, wrong)[0]["wrong"], 0)  # it was refuted before
        self.assertRegex(self.compare(stalled, wrong, code=1), r"\nwrong: .*problem: stalled .* -> wrong ")

    def test_a_planted_slowdown(self):
        def slow(record):
            return 1.3 if record["solver"] == "lemke" else 1.0
        old, new = self.timed(self.bench("old")), self.timed(self.bench("new"), slow)
        _, groups = self.compare_json(old, new)
        lemke, newton = groups["tiny", "lemke"]["time"], groups["tiny", "newton-fb"]["time"]
        self.assertEqual((lemke["verdict"], lemke["timed"], newton["verdict"]), ("slower", PROBLEMS, "same"))
        self.assertAlmostEqual(lemke["ratio"], 1.3)
        self.assertLess(lemke["band"][0], lemke["ratio"])
        self.assertIn("slower: tiny lemke x 1.30; faster: none", self.compare(old, new))
        self.assertIn("slower: none; faster: tiny lemke x 0.77", self.compare(new, old))
        # It is noise if the user says that times differ by so much.
        self.assertNotEqual(self.compare_json(old, new, "--noise", "40")[1]["tiny", "lemke"]["time"]["verdict"], "slower")

    def test_a_single_problem_in_rounds(self):
        for k in range(1, 6):
            self.timed(self.bench(f"old/round-{k}"), lambda record, k=k: 1 + 0.002 * k)
            self.timed(self.bench(f"new/round-{k}"), lambda record, k=k: (2 if record["instance"] == "psd-4-2" else 1) - 0.002 * k)
        document, groups = self.compare_json(self.folder / "old", self.folder / "new")
        self.assertEqual((document["old"]["rounds"], document["new"]["rounds"]), (5, 5))
        for group in groups.values():
            self.assertEqual([p["instance"] for p in group["slower"]], ["psd-4-2"])
            self.assertEqual(group["faster"], [])

    def test_what_one_run_lacks_is_told(self):
        old, new = self.bench("old"), self.bench("new")
        self.edit(new, lambda r: None if r["solver"] == "lemke" or r["instance"] == "psd-3-1" else r)
        text = self.compare(old, new)
        self.assertIn("solver lemke on suite tiny is in OLD alone", text)
        self.assertIn(f"in one run alone: tiny, lemke: {PROBLEMS} of OLD, 0 of NEW", text)
        self.assertIn("in one run alone: tiny, newton-fb: 1 of OLD, 0 of NEW", text)
        more = {**SUITE, "name": "more"}
        self.bench("new", "--resume", what=self.write("more.json", more), solvers="newton-fb")
        self.assertIn("suite more is in NEW alone", self.compare(old, new))

    def test_other_limits_are_other_runs(self):
        old = self.bench("old")
        new = self.bench("new", "--time-limit", "7")
        self.refuse(old, new, "time limit")
        self.bench("new", "--resume", solvers="lemke")
        text = self.compare(old, new)
        self.assertIn("the limits differ: OLD 60 s", text)
        self.assertIn("NEW 60 s, 4096 MB, tolerance 1e-08 | 7 s", text)

    def refuse(self, old, new, *words):
        done = self.perp("compare", old, new)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        for word in words:
            self.assertIn(str(word), done.stderr)

    def test_bad_runs(self):
        good = self.bench("good")
        (self.folder / "empty").mkdir()
        nothing = self.write("nothing/records.jsonl", "").parent
        self.refuse(good, self.folder / "nowhere", "nowhere")
        self.refuse(self.folder / "empty", good, "empty", "no run records")
        self.refuse(nothing, good, "nothing", "no run records")
        both = self.bench("both")
        self.bench("both/round-1")
        self.refuse(good, both, "both", "round-*")
        self.write("cut/round-1/x.txt", "")
        self.refuse(good, self.folder / "cut", "round-1")
        self.assertEqual(self.perp("compare", good).returncode, 2)

    def test_one_file_is_a_run(self):
        good = self.bench("good")
        self.assertIn("lost 0", self.compare(good / "records.jsonl", good))


@with_cases({name: (change, words) for name, (change, words) in {
    "no_outcome": (lambda r: r.pop("outcome"), ["outcome", "missing"]),
    "no_times": (lambda r: r.pop("times"), ["times", "missing"]),
    "no_cpu": (lambda r: r["machine"].pop("cpu"), ["cpu", "missing"]),
    "tolerance_as_text": (lambda r: r.update(tolerance="1e-8"), ["tolerance", "a number"]),
    "negative_time": (lambda r: r["times"].update(total=-1), ["total", "at least 0"]),
    "repeats_as_text": (lambda r: r["times"].update(solve_all=["1"]), ["solve_all", "array"]),
    "repeats_that_do_not_fit": (lambda r: r["times"].update(setup_all=[1]), ["setup_all"]),
    "settings_as_text": (lambda r: r.update(settings=""), ["settings", "object"]),
    "hash_as_number": (lambda r: r["program"].update(hash=3), ["hash", "string"]),
}.items()})
class TestDamagedRecords(CompareTestCase):
    def check(self, damage, words):
        good, bad = self.bench("good"), self.bench("bad")
        count = []

        def change(record):
            count.append(1)
            if len(count) == 3:
                damage(record)
            return record
        self.edit(bad, change)
        done = self.perp("compare", good, bad)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        for word in [str(bad / "records.jsonl"), "line 3", *words]:
            self.assertIn(word, done.stderr)

    def test_repeats_of_older_records(self):
        """They have no setups of repeats, and no total."""
        old, new = self.bench("old"), self.bench("new")

        def older(record):
            del record["times"]["setup_all"], record["times"]["total"]
            return record
        self.edit(old, older)
        self.assertIn("lost 0", self.compare(old, new))


# A perp whose times are made, not measured: from 1 to 12 ms, with some noise of every round, by a factor slower.
PRETENDER = """#!{python}
import json, os, subprocess, sys
arguments = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write({name!r} + " " + " ".join(arguments) + "\\n")
code = subprocess.run([{perp!r}, *arguments]).returncode
if arguments[0] == "bench" and code == 0:
    folder = arguments[arguments.index("-o") + 1]
    side, number = folder.split("/")[-2:]
    noise = 1 + 0.01 * ((3 * int(number.split("-")[1]) + (side == "new")) % 5)
    path, places = os.path.join(folder, "records.jsonl"), {{}}
    with open(path) as file:
        records = [json.loads(line) for line in file]
    for record in records:
        t = 1e-3 * (1 + places.setdefault(record["instance"], len(places))) * noise
        t *= {factor} if record["solver"] == "lemke" else 1
        record["times"].update(setup=0, solve=t, total=t, setup_all=[0] * 3, solve_all=[t] * 3)
    with open(path, "w") as file:
        file.writelines(json.dumps(record) + "\\n" for record in records)
sys.exit(code)
"""

# A perp_micro with two kernels; of the same kind.
KERNELS = """#!{python}
import json, os, sys
state = {state!r}
n = len(open(state).read()) if os.path.exists(state) else 0
open(state, "a").write("x")
def row(name, t, **more):
    return dict(name=name, run_name=name, run_type="iteration", real_time=t * (1 + 0.01 * (n % 3)), time_unit="ns", **more)
print(json.dumps({{"benchmarks": [row("kernel/fast", 20), row("kernel/fast", 21), row("kernel/slow", {slow}),
                                 row("kernel/bad", 0, error_occurred=True, error_message="wrong")]}}))
"""


@unittest.skipIf(is_sanitized(), "bench/compare is a script: what perp does in it the other tests do, and sanitizers time nothing")
class TestTurnByTurn(CompareTestCase):
    def script(self, *arguments, code=0):
        done = subprocess.run([sys.executable, ROOT / "bench" / "compare", *map(str, arguments)], capture_output=True, text=True,
                              timeout=300, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def pretender(self, name, factor=1.0):
        return self.program(f"{name}/perp", PRETENDER.format(
            python=sys.executable, log=str(self.folder / "log"), name=name, perp=PERP, factor=factor))

    def turns(self, old, new, *arguments, **options):
        suite = self.write("tiny.json", SUITE)
        return self.script(old, new, suite, *arguments, "-o", self.folder / "out", "--", "--solvers", "lemke,newton-fb", **options)

    def test_one_build_twice(self):
        done = self.turns(PERP, PERP, "--rounds", 3, "--no-micro")
        self.assertIn("both runs are of one build", done.stdout)
        self.assertIn("lost 0, wrong 0, gained 0;", done.stdout)
        for side in ("old", "new"):
            self.assertEqual(sorted(os.listdir(self.folder / "out" / side)), ["round-1", "round-2", "round-3"])
            records = [parse_json(line) for line in (self.folder / "out" / side / "round-3" / "records.jsonl").read_text().splitlines()]
            self.assertEqual(len(records), 2 * PROBLEMS)
            for record in records:
                self.assert_valid(record, "record")

    def test_nothing_is_found_where_nothing_has_changed(self):
        same = self.pretender("same")
        done = self.turns(same, same, "--rounds", 4)
        self.assertIn("lost 0, wrong 0, gained 0; slower: none; faster: none; single problems: 0 slower, 0 faster", done.stdout)

    def test_turns_change_places(self):
        self.turns(self.pretender("a"), self.pretender("b"), "--rounds", 3)
        turns = [line.split()[0] for line in (self.folder / "log").read_text().splitlines() if " bench " in line]
        self.assertEqual(turns, ["a", "b", "b", "a", "a", "b"])

    def test_a_slower_build_is_found(self):
        done = self.turns(self.pretender("old"), self.pretender("new", 1.3), "--rounds", 4, "--json")
        groups = {g["solver"]: g["time"]["verdict"] for g in parse_json(done.stdout)["groups"]}
        self.assertEqual(groups, {"lemke": "slower", "newton-fb": "same"})

    def test_other_settings_leave_nothing_to_compare(self):
        other = self.program("other/perp", f"""#!/bin/sh
[ "$1" != bench ] || exec {PERP} "$@" --set row_tolerance=1e-9
exec {PERP} "$@"
""")
        suite = self.write("tiny.json", SUITE)
        done = self.script(PERP, other, suite, "--rounds", 1, "--no-micro", "-o", self.folder / "out", "--", "--solvers", "lemke", code=2)
        self.refused("no record has the same", done=done)

    def test_a_study(self):
        """Every run of it with its own solvers and limits, those of studies that it includes first."""
        self.bench("one", solvers="lemke")
        log = self.folder / "log"
        fake = self.program("fake/perp", f"""#!/bin/sh
echo "$@" >> {log}
[ "$1" = bench ] || exec {PERP} "$@"
for folder; do :; done
mkdir -p "$folder" && cat {self.folder}/one/records.jsonl >> "$folder/records.jsonl"
""")
        self.script(fake, fake, "papers", "--rounds", 1, "--no-micro", "-o", self.folder / "out", "--", "--quick")
        calls = [line.split() for line in log.read_text().splitlines() if line.startswith("bench ") and "/old/" in line]
        studies = [json.loads((ROOT / "bench" / "studies" / f"{name}.json").read_text()) for name in ("max-dissipation", "papers")]
        runs = [run for study in studies for run in study["runs"] if run.get("tier") != "full"]
        self.assertEqual([call[1:call.index("--solvers") + 2] for call in calls],
                         [[*run["suites"], "--solvers", ",".join(run["solvers"])] for run in runs])
        self.assertEqual(["--resume" in call for call in calls], [False] + [True] * (len(runs) - 1))
        textbook = calls[[run["name"] for run in runs].index("dissipation-textbook")]
        for words in (["--label", "textbook"], ["--set", "tie_tolerance=1e-05"], ["--set", "equilibrate=false"], ["--time-limit", "5"]):
            self.assertIn(" ".join(words), " ".join(textbook))
        self.refused("no solves", done=self.script(PERP, PERP, "formulations", code=2))

    def test_a_solver_that_is_lost(self):
        """The same solver by its name; the new one's answers are none."""
        new = self.program("new/perp", f"""#!/bin/sh
[ "$1" != bench ] || exec {PERP} "$@" --solvers "mine=exec:cat >/dev/null; echo [0]"
exec {PERP} "$@"
""")
        old = self.program("old/perp", f"""#!/bin/sh
[ "$1" != bench ] || exec {PERP} "$@" --solvers "mine=exec:cat >/dev/null; echo '{{\\"z\\": [2, 0]}}'"
exec {PERP} "$@"
""")
        problem = self.write("problem.json", lcp())
        done = self.script(old, new, problem, "--rounds", 1, "-o", self.folder / "out", code=1)
        self.assertRegex(done.stdout, r"\nlost: .*, mine\*?, problem: solved ")

    def test_kernels(self):
        old, new = self.pretender("old"), self.pretender("new")
        for build, slow in ((old, 30), (new, 90)):
            self.program(f"{build.parent.name}/perp_micro", KERNELS.format(
                python=sys.executable, state=str(build.parent / "state"), slow=slow))
        done = self.turns(old, new, "--rounds", 4, "--json")
        (kernels,) = [g for g in parse_json(done.stdout)["groups"] if g["suite"] == "micro"]
        self.assertEqual((kernels["solver"], kernels["compared"], kernels["solved"]), ("kernel", 3, [2, 2]))
        self.assertEqual([p["instance"] for p in kernels["slower"]], ["kernel/slow"])
        for line in (self.folder / "out/old/round-1/micro.jsonl").read_text().splitlines():
            self.assert_valid(parse_json(line), "record")

    def test_kernels_of_one_build_alone(self):
        old, new = self.pretender("old"), self.pretender("new")
        self.program("old/perp_micro", "#!/bin/sh\nexit 1\n")
        self.assertIn("NEW has no perp_micro", self.turns(old, new, "--rounds", 1).stderr)

    def refused(self, *words, **options):
        lines = options["done"].stderr.splitlines()
        for word in words:
            self.assertIn(word, lines[-1])
        self.assertEqual(options["done"].stdout, "")

    def test_a_half_that_fails(self):
        good = self.pretender("good")
        broken = self.program("broken/perp", "#!/bin/sh\necho it broke >&2\nexit 3\n")
        empty = self.program("empty/perp", "#!/bin/sh\nexit 0\n")
        for old, new, words in ((good, broken, ["NEW, round 1", "exit code 3", "it broke"]),
                                (broken, good, ["OLD, round 1", "it broke"]), (good, empty, ["NEW, round 1", "records.jsonl"])):
            self.refused(*words, done=self.turns(old, new, "--rounds", 2, code=2))
            (self.folder / "out").rename(self.folder / f"out-{old.parent.name}-{new.parent.name}")
        self.program("good/perp_micro", "#!/bin/sh\necho no json\n")
        self.refused("OLD, round 1", "perp_micro", done=self.turns(good, good, "--rounds", 1, code=2))

    def test_bad_arguments(self):
        good = self.pretender("good")
        text = self.write("text", "no program")
        self.refused("OLD", "neither a program nor a revision", done=self.turns("no-such-revision", good, code=2))
        self.refused("NEW", "no program", done=self.turns(good, text, code=2))
        self.write("out/there", "")
        self.refused("not empty", done=self.turns(good, good, code=2))
        self.assertIn("--rounds", self.turns(good, good, "--rounds", 0, code=2).stderr)
        self.assertIn("--resume", self.script(good, good, "--", "--resume", code=2).stderr)
        self.assertIn("usage", self.script(code=2).stderr)

    def test_revisions_are_built(self):
        """In a repository of its own, whose build takes no time: its perp is the one under test, with made times."""
        tree = self.folder / "tree"
        self.write("tree/CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(tree NONE)\n"
                   "add_custom_target(perp COMMAND cp ${CMAKE_SOURCE_DIR}/perp.py ${CMAKE_BINARY_DIR}/perp)\n"
                   "if(PERP_BUILD_MICRO)\n  message(FATAL_ERROR \"no Google Benchmark\")\nendif()\n")
        self.write("tree/bench/compare", (ROOT / "bench" / "compare").read_bytes())
        self.write("tree/.gitignore", "build/\n")

        def git(*arguments):
            subprocess.run(["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments], check=True,
                           capture_output=True)
        git("init", "--initial-branch", "main")
        for factor in (1.0, 1.3):
            self.program("tree/perp.py", PRETENDER.format(python=sys.executable, log=str(self.folder / "log"), name=str(factor),
                                                          perp=PERP, factor=factor))
            git("add", "-A")
            git("commit", "-m", "one")
        suite = self.write("tiny.json", SUITE)

        def compare(*arguments):
            return subprocess.run([sys.executable, tree / "bench" / "compare", *arguments, suite, "--rounds", "4", "--", "--solvers", "lemke"],
                                  capture_output=True, text=True, timeout=300, check=False, env={**os.environ, "PERP_DATA": str(ROOT)})
        done = compare("HEAD~1", "main")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("slower: tiny lemke x 1.30", done.stdout)
        self.assertIn("OLD has no perp_micro", done.stderr)
        self.assertTrue((tree / "build" / "compare" / "run-1" / "old" / "round-4" / "records.jsonl").exists())
        self.assertIn("slower: none", compare("main", "main").stdout)
        # A worktree that somebody has changed is not that revision.
        (place,) = [p for p in (tree / "build" / "compare").glob("*/tree/perp.py") if "t *= 1.3" in p.read_text()]
        place.write_text("")
        self.assertIn("is not as it was committed", compare("main", "main").stderr)

    def test_ctrl_c_ends_what_was_started(self):
        sleeper = self.program("sleeper/perp", f"#!/bin/sh\necho $$ > {self.folder}/pid\nexec sleep 60\n")
        child = subprocess.Popen([sys.executable, ROOT / "bench" / "compare", sleeper, sleeper, "-o", self.folder / "out"],
                                 stderr=subprocess.PIPE, text=True)
        pid = self.folder / "pid"
        for _ in range(600):
            if pid.exists() and pid.read_text().strip():
                break
            time.sleep(0.05)
        child.send_signal(signal.SIGTERM)
        _, errors = child.communicate(timeout=60)
        self.assertEqual((child.returncode, errors.splitlines()[-1]), (130, "bench/compare: interrupted"))
        self.assertFalse(os.path.exists(f"/proc/{pid.read_text().strip()}"))

    def test_help(self):
        self.assertIn("bench/compare main HEAD", self.script("--help").stdout)


if __name__ == "__main__":
    unittest.main()
