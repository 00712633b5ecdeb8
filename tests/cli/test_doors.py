"""Solvers that come from outside: programs, programs that are kept, shared libraries (docs/how-to/adding.md)."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from perp_cli import CliTestCase, ROOT, lcp, make_problem, needs_memory_limits, parse_json  # noqa: E402

HEADER = ROOT / "bench/plugins"
PYTHON = shlex.quote(sys.executable)

FAULTS = '''
import json, os, signal, sys

def crash(): os.kill(os.getpid(), signal.SIGSEGV)
def loop():
    while True: pass
def eat():
    parts = []
    while True: parts.append(bytearray(b"x" * 10**6))
def lie(): return {"z": [0, 0]}
def nans(): return {"z": [None, None]}
'''
ONCE = FAULTS + '''
sys.stdin.read()
print(json.dumps(globals()[sys.argv[1]]()))
'''
KEPT = FAULTS + '''
for line in sys.stdin:
    print(json.dumps(globals()[sys.argv[1]]()), flush=True)
'''
ROWS = {"crash": {"crashed"}, "loop": {"timed_out", "time_limit"}, "eat": {"out_of_memory"}, "lie": {"wrong"},
        "nans": {"numerical_error"}}


class DoorTestCase(CliTestCase):
    def compiled(self, source, name=None):
        library = self.folder / f"lib{name or Path(source).stem}.so"
        compiler = ["c++", "-std=c++20", "-Wno-volatile"] if Path(source).suffix == ".cpp" else ["cc", "-std=c11"]
        subprocess.run([*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Wno-unused-function", "-Werror", "-shared", "-fPIC", f"-I{HEADER}", source,
                        "-o", library, "-lm"], check=True)
        return library

    def faulty(self, name, *changes, suffix="c"):
        """A library of tests/plugins/faulty.c with texts replaced."""
        text = (ROOT / "tests/plugins/faulty.c").read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return self.compiled(self.write(f"{name}.{suffix}", text))

    def bench(self, *arguments, out="records"):
        done = self.perp("bench", *arguments, "--repeat", "1", *(() if "--resume" in arguments else ("--overwrite",)),
                         "-o", self.folder / out)
        self.assertEqual(done.returncode, 0, done.stderr)
        records = [parse_json(line) for line in (self.folder / out / "records.jsonl").read_text().splitlines()]
        for record in records:
            self.assert_valid(record, "record")
        return records

    def solve(self, problem, *arguments, code=0):
        done = self.perp("solve", self.write("problem.json", problem), *arguments, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return parse_json(done.stdout)


class TestFaultsApart(DoorTestCase):
    """What goes wrong with a solver is told in a row of its own, whatever door the solver came through."""

    def check(self, solvers, *arguments):
        """Solvers by their fault; lemke before and after each has its two answers."""
        for name in ("a", "b"):
            self.write(f"mine/{name}.json", lcp(name=name))
        # Only the one that never ends meets its time limit; the others have time on a loaded machine, too.
        records = []
        for limit, chosen in (("3", ["loop"]), ("60", [fault for fault in solvers if fault != "loop"])):
            faults = ",".join(f"lemke,{solvers[fault]}" for fault in chosen)
            records += self.bench(self.folder / "mine", "--solvers", faults, "--time-limit", limit, "--grace", "1",
                                  "--memory-limit", "200", *arguments)
        self.assertEqual({r["outcome"] for r in records if r["solver"] == "lemke"}, {"solved"})
        seen = {}
        for fault, solver in solvers.items():
            rows = [r for r in records if r["solver"] == solver.split("=")[0]]
            self.assertEqual(len(rows), 2, fault)
            seen[fault] = {r["outcome"] for r in rows}
            self.assertLessEqual(seen[fault], ROWS[fault], [(r["outcome"], r["message"]) for r in rows])
            if fault == "eat":
                for row in rows:
                    self.assertGreater(row["peak_memory_mb"], 100)
                    self.assertLess(row["peak_memory_mb"], 500)
        self.assertEqual(len(set().union(*seen.values())), 5)

    @needs_memory_limits
    def test_programs(self):
        program = shlex.quote(str(self.write("once.py", ONCE)))
        self.check({fault: f"{fault}=exec:{PYTHON} {program} {fault} 2>/dev/null" for fault in ROWS})

    @needs_memory_limits
    def test_programs_that_are_kept(self):
        program = shlex.quote(str(self.write("kept.py", KEPT)))
        self.check({fault: f"{fault}=serve:{PYTHON} {program} {fault} 2>/dev/null" for fault in ROWS})

    @needs_memory_limits
    def test_plugins(self):
        library = self.compiled(ROOT / "tests/plugins/faulty.c")
        self.check({fault: fault for fault in ROWS}, "--plugin", library)


    def test_a_plugin_that_throws_beside_solving(self):
        """Like one that throws in solve: the next solver has its turn."""
        text = (ROOT / "tests/plugins/faulty.c").read_text().replace("create(void) {", "create(void) { if (getenv(\"T\") && *getenv(\"T\") == 'c') throw 3;")
        text = text.replace("  size = problem->n;", "  if (getenv(\"T\") && *getenv(\"T\") == 'p') throw std::runtime_error(\"no luck\");\n  size = problem->n;")
        text = text.replace("#include <stdlib.h>", "#include <stdexcept>\n#include <stdlib.h>").replace("malloc(bytes)", "(char *)malloc(bytes)")
        library = self.compiled(self.write("throws.cpp", text))
        problem = self.write("p.json", lcp())
        for when, solver, code, word in (("p", "lie", 1, "in prepare the plug-in threw: no luck"), ("p", "first(lie, lemke)", 0, "lemke"),
                                         ("c", "lie", 1, "cannot make it"), ("c", "first(lie, lemke)", 0, "lemke")):
            done = self.perp("solve", problem, "--plugin", library, "--solver", solver, env={**os.environ, "T": when})
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(word, done.stdout + done.stderr)

    def test_a_plugin_that_throws_in_refusal_has_failed(self):
        library = self.faulty("picky", ("kinds, 0, NULL, 0, create,    \\\n   destroy, NULL, NULL,", "kinds, 0, NULL, 0, create, destroy, NULL, refuse,"),
                              ("static const char *const kinds[]", """
#include <stdexcept>
static const char *refuse(void *, const perp_problem *) { throw std::runtime_error("no idea"); }
static const char *const kinds[]"""), ("malloc(bytes)", "(char *)malloc(bytes)"), suffix="cpp")
        told = self.solve(lcp(), "--plugin", library, "--solver", "lie", code=1)
        self.assertEqual((told["status"], told["message"]), ("numerical_error", "in refusal the plug-in threw: no idea"))

    def test_a_plugin_that_throws_when_it_is_loaded(self):
        library = self.faulty("throws", ("return index < 5", "if (index == 1) throw 3; return index < 5"),
                              ("malloc(bytes)", "(char *)malloc(bytes)"), suffix="cpp")
        done = self.perp("list", "solvers", "--plugin", library)
        self.assertEqual((done.returncode, done.stderr), (2, f"perp: {library}: perp_plugin_solver(1) threw an exception\n"))

    def test_a_plugin_whose_object_cannot_be_made_does_not_end_a_benchmark(self):
        text = (ROOT / "tests/plugins/faulty.c").read_text()
        for name, fault, outcome in (("aborts", "abort();", "crashed"), ("hangs", "for (volatile int i = 0;; i = i + 1) i = 0;", "timed_out"),
                                     ("gives nothing", "return NULL;", "numerical_error")):
            library = self.compiled(self.write(f"{outcome}.c", text.replace("create(void) {", "create(void) { " + fault)))
            records = self.bench(self.write("p.json", lcp(name="p")), "--solvers", "lemke,lie", "--plugin", library, "--set", "tolerance=1e-9",
                                 "--time-limit", "1", "--grace", "1")
            self.assertEqual({r["solver"]: r["outcome"] for r in records}, {"lemke": "solved", "lie": outcome}, name)
            if outcome == "timed_out":  # after 2.4 limits and the grace, which is 20 s by default
                (killed,) = (r["times"]["wall"] for r in records if r["outcome"] == outcome)
                self.assertTrue(3.4 <= killed < 20, killed)

    def test_settings_of_plugins_have_names_of_their_own(self):
        text = (ROOT / "tests/plugins/faulty.c").read_text().replace("kinds, 0, NULL, 0, create", "kinds, 0, given, 2, create")
        text = text.replace("destroy, NULL, NULL, prepare", "destroy, set, NULL, prepare")
        for names, word in ((("tolerance", "b"), "tolerance is a limit"), (("b", "b"), "a setting b already")):
            given = ", ".join(f'{{"{name}", "what it is", 1, 0, 2}}' for name in names)
            more = f"static void set(void *self, int i, double x) {{ (void)self, (void)i, (void)x; }}\nstatic const perp_setting given[] = {{{given}}};\n"
            library = self.compiled(self.write("named.c", text.replace("static const char *const kinds", more + "static const char *const kinds")))
            done = self.perp("list", "solvers", "--plugin", library)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(word, done.stderr)

    def test_a_plugin_that_ends_the_program(self):
        """Its exit code 0 is not the verifier's."""
        ends = (ROOT / "tests/plugins/faulty.c").read_text().replace("*nowhere = 1;", "(void)nowhere;\n  exit(0);")
        library = self.compiled(self.write("ends.c", ends))
        (record,) = self.bench(self.write("p.json", lcp()), "--plugin", library, "--solvers", "crash")
        self.assertEqual((record["outcome"], record["message"]), ("crashed", "the process ended itself with exit code 2"))
        done = self.perp("solve", self.write("p.json", lcp()), "--plugin", library, "--solver", "crash")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", "perp: a plug-in has ended the program\n"))


class TestKeptPrograms(DoorTestCase):
    """serve:COMMAND starts once, and again only after its end."""

    def program(self, answer, before=""):
        """A program that counts its starts and problems in files."""
        starts = self.folder / "starts"
        starts.write_text("")
        text = f'''import json, os, sys
open({str(starts)!r}, "a").write("start\\n")
{before}
for number, line in enumerate(sys.stdin, 1):
    request = json.loads(line)
    problem = request["problem"]
    {answer}
'''
        return f"serve:{PYTHON} {shlex.quote(str(self.write('kept.py', text)))}", starts

    def starts(self, path):
        return len(path.read_text().splitlines())

    def problems(self, count):
        for i in range(count):
            self.write(f"mine/{i:02}.json", lcp(name=f"p{i:02}"))
        return self.folder / "mine"

    GOOD = 'print(json.dumps({"z": [2, 0], "id": request["id"], "message": str(number)}), flush=True)'

    def test_an_answer_before_the_whole_problem_was_read(self):
        big = self.folder / "big"
        self.succeed("export", "psd", "--size", "200", "--seeds", "2", "-o", big)
        early = self.write("early.py", "print('{\"status\": \"unsupported\", \"message\": \"too large\"}', flush=True)\n")
        records = self.bench(big, "--solvers", f"early=serve:{PYTHON} {early}")
        self.assertEqual([(r["outcome"], r["message"]) for r in records], [("unsupported", "too large")] * 2)

    def test_one_start_for_all_problems_and_repeats(self):
        solver, starts = self.program(self.GOOD)
        done = self.perp("bench", self.problems(20), "--solvers", "kept=" + solver, "--repeat", "4", "-o", self.folder / "r")
        self.assertEqual(done.returncode, 0, done.stderr)
        records = [parse_json(line) for line in (self.folder / "r/records.jsonl").read_text().splitlines()]
        self.assertEqual({r["outcome"] for r in records}, {"solved"})
        self.assertEqual((len(records), self.starts(starts)), (20, 1))
        self.assertGreaterEqual(max(int(r["message"]) for r in records), 20)
        self.assertTrue(all(r["command"] for r in records))

    def test_a_start_for_each_of_jobs(self):
        solver, starts = self.program(self.GOOD)
        records = self.bench(self.problems(9), "--solvers", solver, "--jobs", "2")
        self.assertEqual((len(records), self.starts(starts)), (9, 2))

    def test_what_is_asked_and_the_start(self):
        checks = ('print(json.dumps({"z": problem.get("start", [0, 0]), "status": "stalled", "message": json.dumps(['
                  'sorted(request), request["tolerance"], request["time_limit"], request["max_iterations"]])}), flush=True)')
        solver, _ = self.program(checks)
        start = self.write("start.json", {"z": [0.25, 0.5]})
        told = self.solve(lcp(), "--solver", solver, "--start", start, "--tolerance", "1e-5", "--time-limit", "70",
                          "--max-iterations", "9", code=1)
        self.assertEqual(told["z"], [0.25, 0.5])
        names, tolerance, seconds, iterations = json.loads(told["message"])
        self.assertEqual((names, tolerance, iterations), (["id", "max_iterations", "problem", "time_limit", "tolerance"], 1e-5, 9))
        self.assertLess(seconds, 70)  # what is left of them
        self.assertGreater(seconds, 10)

    def test_a_name_with_line_ends_stays_in_its_line(self):
        solver, _ = self.program('print(json.dumps({"z": [2, 0], "message": repr(problem["name"])}), flush=True)')
        told = self.solve(lcp(name="two\nlines"), "--solver", solver)
        self.assertEqual((told["status"], told["message"]), ("solved", repr("two\nlines")))

    def test_it_is_started_again_behind_a_crash(self):
        solver, starts = self.program('os.kill(os.getpid(), 11) if problem["name"] == "p03" else ' + self.GOOD)
        records = self.bench(self.problems(8), "--solvers", solver)
        self.assertEqual({r["instance"]: r["outcome"] for r in records},
                         {f"{i:02}": "crashed" if i == 3 else "solved" for i in range(8)})
        self.assertEqual(self.starts(starts), 2)

    def test_it_is_started_again_behind_a_time_limit(self):
        solver, starts = self.program('import time; time.sleep(60 if problem["name"] == "p01" else 0); ' + self.GOOD)
        records = self.bench(self.problems(3), "--solvers", solver, "--time-limit", "5")
        self.assertEqual([r["outcome"] for r in records], ["solved", "time_limit", "solved"])
        self.assertEqual(self.starts(starts), 2)

    def test_it_is_started_again_if_it_ends_after_an_answer(self):
        solver, starts = self.program(self.GOOD + '; import time; os.close(1); os.close(0); sys.exit()')
        records = self.bench(self.problems(3), "--solvers", solver)
        self.assertEqual(len(records), 3)
        self.assertLessEqual({r["outcome"] for r in records}, {"solved", "numerical_error"})
        self.assertGreaterEqual(self.starts(starts), 2)

    def test_the_answer_to_another_problem_does_not_count(self):
        solver, _ = self.program('print(json.dumps({"z": [2, 0], "id": request["id"] - 1}), flush=True)')
        told = self.solve(lcp(), "--solver", solver, code=1)
        self.assertEqual(told["status"], "numerical_error")
        self.assertIn("\"id\"", told["message"])

    def test_a_second_line_does_not_answer_the_next_problem(self):
        """The second answer would be right for the second problem, had it been asked for."""
        solver, starts = self.program(f"{self.GOOD}; {self.GOOD}; import time; time.sleep(0.3)")
        records = self.bench(self.problems(2), "--solvers", solver)
        self.assertEqual([r["outcome"] for r in records], ["solved", "numerical_error"])
        self.assertRegex(records[1]["message"], 'nobody had asked|"id"')

    def test_what_is_no_answer(self):
        for line, part in (("hello", "line"), ("[1]", "object"), ("{", "line"), ('{"z": 3}', "z")):
            with self.subTest(line):
                solver, _ = self.program(f"print({line!r}, flush=True)")
                told = self.solve(lcp(), "--solver", solver, code=1)
                self.assertEqual(told["status"], "numerical_error")
                self.assertIn(part, told["message"])

    def ends(self, state):
        """If a process, given by its stat file, is gone or waits to be reaped; a killed one may be so a little later."""
        for _ in range(300):
            try:
                if state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
            except (FileNotFoundError, ProcessLookupError):
                return True
            time.sleep(0.1)
        return False

    def test_it_ends_with_perp(self):
        """The input ends, and there is a second for what is left to do; what does not end is killed."""
        done = self.folder / "done"
        solver, _ = self.program(self.GOOD)
        path = self.folder / "kept.py"
        path.write_text(path.read_text() + f"open({str(done)!r}, 'w').write(str(os.getpid()))\n")
        self.solve(lcp(), "--solver", solver)
        self.assertTrue(done.exists())
        solver, starts = self.program(self.GOOD, before=f"open({str(done)!r}, 'w').write(str(os.getpid()))")
        path.write_text(path.read_text() + "import time\ntime.sleep(100)\n")
        self.solve(lcp(), "--solver", solver)
        self.assertTrue(self.ends(Path(f"/proc/{done.read_text()}/stat")), "it runs on")

    def test_in_an_expression(self):
        solver, _ = self.program('print(json.dumps({"status": "stalled"}), flush=True)')
        told = self.solve(lcp(), "--solver", f"first(serve:{json.dumps(solver[6:])}, lemke)")
        self.assertEqual(told["status"], "solved")
        self.assertEqual(len(told["route"]), 2)

    def test_a_missing_command(self):
        done = self.perp("solve", self.write("problem.json", lcp()), "--solver", "serve: ")
        self.assertEqual((done.returncode, done.stderr), (2, 'perp: solver "serve:": the command after the colon is missing\n'))


class TestPlugins(DoorTestCase):
    def setUp(self):
        super().setUp()
        self.library = self.compiled(ROOT / "tests/plugins/kinds.c")

    def test_every_kind_that_it_takes(self):
        for kind in ("lcp", "mlcp", "box_qp"):
            with self.subTest(kind):
                told = self.solve(make_problem(kind), "--plugin", self.library, "--solver", "fixed-point", "--tolerance", "1e-7")
                self.assertEqual((told["status"], told["claimed"]), ("solved", "solved"), told["message"])
                self.assertTrue(told["message"].startswith(kind))

    def test_a_nonlinear_problem(self):
        """Functions and Jacobian through the interface: z_0^2 + z_1 = 4 and z_1 at 0."""
        start = self.write("start.json", {"z": [1.9, 0.2]})
        told = self.solve(make_problem("mcp"), "--plugin", self.library, "--solver", "fixed-point", "--start", start)
        self.assertEqual((told["status"], told["claimed"]), ("solved", "solved"), told["message"])
        self.assertTrue(told["message"].startswith("mcp"))
        self.assertAlmostEqual(told["z"][0], 2, delta=1e-7)

    def test_it_is_reduced_to_what_it_takes_and_part_of_an_expression(self):
        told = self.solve(lcp(), "--plugin", self.library, "--solver", "first(fixed-point:max_iterations=1, lemke)")
        self.assertEqual(told["status"], "solved")

    def test_it_is_listed_with_its_settings(self):
        library = self.compiled(self.page_source())
        listed = parse_json(self.succeed("list", "solvers", "--plugin", library, "--json"))["solvers"]
        mine = [s for s in listed if s["name"] == "mine"]
        self.assertEqual(len(mine), 1)
        self.assertEqual([s["name"] for s in mine[0]["settings"]][-1], "omega")
        done = self.perp("solve", self.write("p.json", lcp()), "--plugin", library, "--solver", "mine", "--set", "omega=2.5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("omega", done.stderr)

    def page_source(self):
        section = (ROOT / "docs/how-to/adding.md").read_text().split("## A shared library\n", 1)[1]
        return self.write("mine.c", re.search(r"^```c\n(.*?)^```", section, re.M | re.S)[1])

    def test_refusals_and_settings_of_the_page(self):
        library = self.compiled(self.page_source())
        sweeps = {}
        for omega in (0.5, 1.0):
            told = self.solve(lcp(), "--plugin", library, "--solver", "mine", "--set", f"omega={omega}")
            self.assertEqual(told["status"], "solved")
            sweeps[omega] = told["iterations"]
        self.assertGreater(sweeps[0.5], sweeps[1.0])
        told = self.solve(lcp(M={"shape": [2, 2], "dense": [[0, 0], [0, 1]]}), "--plugin", library, "--solver", "mine", code=1)
        self.assertEqual((told["status"], told["message"]), ("unsupported", "mine asks for a positive diagonal of M"))

    def test_a_trace_and_the_limit_on_iterations(self):
        trace = self.folder / "trace.csv"
        told = self.solve(lcp(), "--plugin", self.library, "--solver", "fixed-point", "--trace", trace)
        self.assertEqual(len(trace.read_text().splitlines()) - 1, told["iterations"])

    def test_values_of_a_sequence_are_updated(self):
        """One structure: prepared once, then given other values."""
        problems = [lcp(name=f"p{i}", q=[-4 - i, 1]) for i in range(4)]
        header = {"format": "perp-sequence", "version": 1, "name": "s"}
        path = self.write("s.jsonl", "".join(json.dumps(line) + "\n" for line in (header, *problems)))
        records = self.bench(path, "--plugin", self.library, "--solvers", "fixed-point", "--start", "warm")
        self.assertEqual({r["outcome"] for r in records}, {"solved"})
        self.assertEqual(records[-1]["message"], "lcp, 1 prepared, 3 updated")

    def test_a_changed_library_is_another_solver(self):
        problem = self.write("mine/a.json", lcp())
        records = self.bench(problem, "--plugin", self.library, "--solvers", "fixed-point")
        self.assertEqual(records[0]["plugin"], str(self.library))
        self.assertEqual(len(self.bench(problem, "--plugin", self.library, "--solvers", "fixed-point", "--resume")), 1)
        changed = self.write("changed.c", (ROOT / "tests/plugins/kinds.c").read_text().replace("%d updated", "%d taken"))
        shutil.copy(self.compiled(changed), self.library)
        self.assertEqual(len(self.bench(problem, "--plugin", self.library, "--solvers", "fixed-point", "--resume")), 2)

    def assert_refused(self, library, *parts):
        done = self.perp("list", "solvers", "--plugin", library)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        for part in (str(library), *parts):
            self.assertIn(part, done.stderr)

    def test_what_is_no_plugin(self):
        self.assert_refused(self.folder / "none.so", "cannot be read")
        self.assert_refused(self.write("text.so", "not a library"), "cannot be loaded")
        self.assert_refused(self.compiled(self.write("empty.c", "int nothing;\n")), "perp_plugin_solver")
        self.assert_refused(self.folder, "cannot be loaded")

    def test_descriptions_that_are_wrong(self):
        good = (ROOT / "tests/plugins/kinds.c").read_text()
        for i, (old, new, part) in enumerate((
                ("PERP_PLUGIN_VERSION", "7", "version 7"), ("sizeof(perp_plugin)", "32", '"size"'),
                ('"fixed-point"', '"a name"', '"name"'), ('"fixed-point"', '"lemke"', "lemke already"),
                ('"fixed-point"', "NULL", '"name"'), ('"steps against F, projected"', "NULL", '"summary"'),
                ('"box_qp", NULL', '"qp", NULL', '"qp"'), ("NULL, NULL, prepare", "NULL, NULL, NULL", "lacks"),
                ("NULL, 0,\n", "NULL, 2,\n", '"settings"'), ("index == 0 ? &plugin : NULL", "index >= 0 ? &plugin : NULL", "already"),
                ("index == 0 ? &plugin : NULL", "index < 0 ? &plugin : NULL", "no solver"))):
            with self.subTest(part):
                self.assertIn(old, good)
                source = good.replace("{\n    sizeof(perp_plugin)", "{\n    32") if old.startswith("sizeof") else good.replace(old, new)
                self.assert_refused(self.compiled(self.write(f"wrong{i}.c", source)), part)

    def test_settings_are_known_to_refusal(self):
        library = self.faulty("small", ("kinds, 0, NULL, 0, create,    \\\n   destroy, NULL, NULL,", "kinds, 0, given, 1, create, destroy, put, refuse,"),
                              ("static const char *const kinds[]", """
static double most;
static void put(void *self, int setting, double value) { (void)self, (void)setting; most = value; }
static const char *refuse(void *self, const perp_problem *problem) {
  (void)self;
  return problem->n > most ? "too many unknowns" : NULL;
}
static const perp_setting given[] = {{"most", "unknowns", 100.0, 1.0, 1e6}};
static const char *const kinds[]"""))
        self.assertNotEqual(self.solve(lcp(), "--plugin", library, "--solver", "nans", code=1)["status"], "unsupported")
        told = self.solve(lcp(), "--plugin", library, "--solver", "nans:most=1", code=1)
        self.assertEqual((told["status"], told["message"]), ("unsupported", "too many unknowns"))

    def test_a_false_interruption_does_not_end_a_strategy(self):
        library = self.faulty("gone", ("  answer->status = PERP_SOLVED;\n}\n\nstatic const char", "  answer->status = PERP_INTERRUPTED;\n}\n\nstatic const char"))
        told = self.solve(lcp(), "--plugin", library, "--solver", "nans", code=1)
        self.assertEqual((told["status"], told["message"]), ("stalled", "the plug-in says that it was interrupted, but nobody did so"))
        program = self.write("gone.py", "print('{\"status\": \"interrupted\", \"z\": [0, 0]}')\n")
        for liar in ("nans", f'exec:"python3 {program}"'):
            self.assertEqual(self.solve(lcp(), "--plugin", library, "--solver", f"first({liar}, lemke)")["status"], "solved", liar)

    def test_who_tells_iterations_ends_at_the_time_limit(self):
        library = self.faulty("slow", ("  for (volatile int i = 0; answer->z; i = i + 1) i = 0;", """
  for (int i = 0;; ++i) {
    if (request->on_iteration(request, i, 1.0)) continue;
    answer->status = PERP_INTERRUPTED;
    for (int k = 0; k < size; ++k) answer->z[k] = 0.0;
    return;
  }"""))
        told = self.solve(lcp(), "--plugin", library, "--solver", "loop", "--time-limit", "0.2", code=1)
        self.assertEqual(told["status"], "time_limit")

    def test_names_of_strategies_are_taken(self):
        for name in ("start", "first", "exec", "auto"):
            self.assert_refused(self.faulty(f"named-{name}", ('"lie"', f'"{name}"')), "already")

    def test_what_it_says_is_one_line(self):
        library = self.faulty("loud", ("trust me", "a\\nb\\33[2J"))
        done = self.perp("solve", self.write("p.json", lcp()), "--plugin", library, "--solver", "first(lie, lemke)")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("\33", done.stdout)
        self.assertNotRegex(done.stdout, "(?m)^b")
        done = self.perp("bench", self.write("p.json", lcp()), "--solvers", f"m=exec:printf '{{\"status\": \"unsupported\", \"message\": \"a\\\\nb\"}}'",
                         "-o", self.folder / "loud")
        self.assertNotRegex(done.stdout, "(?m)^b")

    def test_one_that_throws(self):
        text = ('#include <perp_plugin.h>\n#include <stdexcept>\n' + (ROOT / "tests/plugins/faulty.c").read_text()
                .replace("(void)self, (void)request;\n  for (int i = 0; i < size; ++i) answer->z[i] = 0.0;",
                         'throw std::runtime_error("no idea");').replace('"lie"', '"thrower"').replace("malloc(bytes)", "(char *)malloc(bytes)"))
        source, library = self.write("throws.cpp", text), self.folder / "libthrows.so"
        subprocess.run(["c++", "-shared", "-fPIC", "-w", f"-I{HEADER}", source, "-o", library], check=True)
        told = self.solve(lcp(), "--plugin", library, "--solver", "thrower", code=1)
        self.assertEqual((told["status"], told["message"]), ("numerical_error", "the plug-in threw: no idea"))


if __name__ == "__main__":
    unittest.main()
