"""No verb loses what its user has: folders, records and pages that are there, answers on a full disk; and no program that perp
started outlives it."""
import json
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import PERP, CliTestCase, lcp, make_problem, parse_json, with_cases  # noqa: E402

SHORT = ("simulate", "box-stack", "--duration", "0.05", "--record-problems", "all", "--record")


def contents(folder):
    """Every file and link below a folder with what it holds."""
    return {str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file()}


class LostTestCase(CliTestCase):
    def refuse(self, *arguments, words=(), **options):
        """Exit code 2, one line on stderr with the words in it, nothing on stdout."""
        done = self.perp(*arguments, **options)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr + done.stdout)
        for word in words:
            self.assertIn(str(word), done.stderr)

    def text(self, path):
        with open(path) as file:
            return file.read()

    def refuse_and_keep(self, folder, *arguments, words=(), **options):
        before = contents(folder)
        self.refuse(*arguments, words=words, **options)
        self.assertEqual(contents(folder), before)


class TestRunFolders(LostTestCase):
    """perp simulate --record removes what it recorded itself, and nothing else."""

    def setUp(self):
        super().setUp()
        self.run = self.folder / "run"

    def test_a_folder_of_problems_that_it_did_not_write(self):
        self.write("run/problems/standard/lcp.hpp", "the work of months")
        self.write("run/problems/notes.json", "{}")
        self.refuse_and_keep(self.run, *SHORT, self.run, words=["run/problems", "run.json"])
        self.refuse_and_keep(self.run, *SHORT[:-1], "--record", ".", cwd=self.run, words=["problems"])

    def test_single_files_that_it_did_not_write(self):
        for name in ("trajectory.csv", "contacts.csv", "joints.csv", "shapes.json", "steps.csv", "problems.jsonl", "run.json"):
            folder = self.folder / name
            self.write(f"{name}/{name}", "mine\n")
            self.refuse_and_keep(folder, *SHORT, folder, words=[name])

    def test_other_things_stay(self):
        self.write("run/notes.txt", "mine")
        self.write("run/problems.txt", "mine")
        self.succeed(*SHORT, self.run)
        self.write("run/problems/mine.json", "{}")
        self.write("run/problems/deep/000001-contact.json", "{}")
        self.succeed(*SHORT, self.run)
        self.assertEqual((self.run / "notes.txt").read_text(), "mine")
        self.assertEqual((self.run / "problems" / "mine.json").read_text(), "{}")
        self.assertEqual((self.run / "problems" / "deep" / "000001-contact.json").read_text(), "{}")

    def test_an_older_run_with_more_steps(self):
        self.succeed(*SHORT[:2], "--duration", "0.1", *SHORT[4:], self.run)
        more = {path.name for path in (self.run / "problems").iterdir()}
        self.succeed(*SHORT, self.run)
        fewer = {path.name for path in (self.run / "problems").iterdir()}
        self.assertLess(fewer, more)
        self.assertEqual(len(fewer), json.loads((self.run / "run.json").read_text())["stages"])
        self.succeed(*SHORT[:4], "--record-problems", "none", "--no-contacts", "--record", self.run)
        self.assertFalse((self.run / "problems").exists())
        self.assertFalse((self.run / "contacts.csv").exists())

    def test_a_problem_put_in_the_place_of_a_recorded_one(self):
        self.succeed(*SHORT, self.run)
        self.write("run/problems/000001-contact.json", lcp(name="mine"))
        self.refuse_and_keep(self.run, *SHORT, self.run, words=["000001-contact.json"])

    def test_links(self):
        elsewhere = self.folder / "elsewhere"
        self.write("elsewhere/000001-contact.json", "mine")
        for name in ("problems", "steps.csv"):
            self.run = self.folder / f"with-{name}"
            self.succeed(*SHORT[:4], "--record-problems", "none", "--record", self.run)
            if (self.run / name).exists():
                (self.run / name).unlink()
            (self.run / name).symlink_to(elsewhere if name == "problems" else elsewhere / "000001-contact.json")
            self.refuse_and_keep(self.folder, *SHORT, self.run, words=[name])

    def test_a_copy_by_hard_links_keeps_the_old_run(self):
        self.succeed(*SHORT, self.run)
        kept = self.folder / "kept.csv"
        os.link(self.run / "steps.csv", kept)
        before = kept.read_text()
        self.succeed(*SHORT[:2], "--duration", "0.1", *SHORT[4:], self.run)
        self.assertEqual(kept.read_text(), before)


class TestNamesOfNl(LostTestCase):
    """Names stand in model.col beside model.nl; a model.col alone is somebody else's."""

    def test_of_somebody_else(self):
        for problem in (lcp(), lcp(variables=["a", "b"])):
            self.write("model.col", "mine\n")
            source = self.write("p.json", problem)
            self.refuse_and_keep(self.folder, "convert", source, self.folder / "model.nl", words=["model.col"])

    def test_of_an_older_problem(self):
        source = self.write("p.json", lcp(variables=["a", "b"]))
        self.succeed("convert", source, self.folder / "model.nl")
        self.assertEqual((self.folder / "model.col").read_text(), "a\nb\n")
        self.succeed("convert", self.write("p.json", lcp()), self.folder / "model.nl")
        self.assertFalse((self.folder / "model.col").exists())


class TestPartsOfMatrices(LostTestCase):
    """Parts of an older problem must not stand beside model.mtx; those of somebody else are not removed."""

    def test_of_somebody_else(self):
        source = self.write("p.json", lcp())
        self.write("model.A.mtx", "my own notes\n")
        (self.folder / "model.start.mtx").mkdir()
        self.refuse_and_keep(self.folder, "convert", source, self.folder / "model.mtx", words=["model.start.mtx: is there"])
        (self.folder / "model.start.mtx").rmdir()
        self.refuse_and_keep(self.folder, "convert", source, self.folder / "model.mtx", words=["model.A.mtx: is there"])
        (self.folder / "model.A.mtx").unlink()
        self.write("model.lower.mtx", "%%MatrixMarket matrix array real general\n2 1\n0\n0\n")
        self.refuse_and_keep(self.folder, "convert", source, self.folder / "model.mtx", words=["model.lower.mtx: is there"])

    def test_of_an_older_problem(self):
        self.succeed("convert", self.write("p.json", make_problem("mlcp")), self.folder / "model.mtx")
        self.assertTrue((self.folder / "model.lower.mtx").exists())
        self.succeed("convert", self.write("p.json", lcp()), self.folder / "model.mtx")
        self.assertFalse((self.folder / "model.lower.mtx").exists())


class TestWhoMayRead(LostTestCase):
    def test_a_private_file_stays_private(self):
        target = pathlib.Path(self.write("mine.json", "old\n"))
        target.chmod(0o600)
        self.succeed("convert", self.write("p.json", lcp()), target)
        self.assertEqual((target.stat().st_mode & 0o777, target.read_text() == "old\n"), (0o600, False))


class TestRecords(LostTestCase):
    def setUp(self):
        super().setUp()
        self.command = ["bench", self.write("p.json", lcp()), "--solvers", "lemke", "--repeat", "1", "-o", self.folder / "out"]

    def test_are_not_replaced_unasked(self):
        self.succeed(*self.command)
        self.refuse_and_keep(self.folder / "out", *self.command, words=["records.jsonl", "--resume", "--overwrite"])
        self.refuse_and_keep(self.folder / "out", *self.command, "--resume", "--overwrite", words=["--overwrite"])
        self.succeed(*self.command, "--overwrite")
        self.assertEqual((self.folder / "out" / "records.jsonl").read_text().count("\n"), 1)

    def test_of_a_shard(self):
        self.succeed(*self.command, "--shard", "1/2")
        self.refuse_and_keep(self.folder / "out", *self.command, "--shard", "1/2", words=["records-1-of-2.jsonl"])
        self.succeed(*self.command, "--shard", "2/2")

    def test_resume_appends_to_records_only(self):
        for mine in ("a line\n", "no end of line", "{}\n", '{"key": 1, "outcome": []}\n'):
            self.write("out/records.jsonl", mine)
            self.refuse_and_keep(self.folder / "out", *self.command, "--resume", words=["records.jsonl", "line 1"])

    def test_are_looked_at_before_scenes_are_simulated(self):
        self.write("out/records.jsonl", "x\n")
        began = time.monotonic()
        self.refuse("bench", "steps", "-o", self.folder / "out", words=["records.jsonl"])
        self.refuse("bench", "steps", "-o", self.folder / "p.json" / "out", words=["p.json"])
        self.assertLess(time.monotonic() - began, 20)

    def test_are_not_what_a_page_is_written_over(self):
        self.succeed(*self.command)
        self.refuse_and_keep(self.folder / "out", "report", self.folder / "out", "-o", self.folder / "out" / "records.jsonl",
                             words=["records.jsonl"])
        records = self.folder / "out" / "records.jsonl"
        self.refuse_and_keep(self.folder / "out", "report", records, "-o", records, words=["records.jsonl"])

    def test_closed_standard_output_is_no_records_file(self):
        command = " ".join(shlex.quote(str(word)) for word in [PERP, *self.command])
        done = subprocess.run(["sh", "-c", command + " >&-"], capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        [line] = (self.folder / "out" / "records.jsonl").read_text().splitlines()
        self.assertEqual(parse_json(line)["outcome"], "solved")


def small_files(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class TestLinks(LostTestCase):
    def test_a_link_to_a_pipe_is_written_through(self):
        link = self.folder / "out.csv"
        link.symlink_to("/proc/self/fd/1")
        done = self.perp("solve", self.write("p.json", lcp()), "--solver", "lemke", "--trace", link)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("iteration,step_type,", done.stdout)
        self.assertTrue(link.is_symlink())

    def test_a_link_to_no_file_yet(self):
        link = self.folder / "out.csv"
        link.symlink_to("later/trace.csv")
        (self.folder / "later").mkdir()
        self.succeed("solve", self.write("p.json", lcp()), "--solver", "lemke", "--trace", link)
        self.assertTrue(link.is_symlink())
        self.assertIn("iteration,step_type,", (self.folder / "later/trace.csv").read_text())

    def test_a_link_to_itself(self):
        link = self.folder / "out.csv"
        link.symlink_to("out.csv")
        self.refuse("solve", self.write("p.json", lcp()), "--solver", "lemke", "--trace", link, words=["out.csv"])


class TestFullDisk(LostTestCase):
    def test_standard_output(self):
        problem = self.write("p.json", lcp())
        result = self.write("r.json", {"z": [2, 0]})
        verbs = (["list"], ["list", "--json"], ["--help"], ["solve", "--help"], ["solve", problem], ["solve", problem, "--json"],
                 ["info", problem], ["verify", problem, result], ["simulate", "pendulum", "--duration", "0.05"],
                 ["export", "psd", "--size", "2", "-o", self.folder / "out"])
        for verb in verbs:
            with self.subTest(verb), open("/dev/full", "w") as full:
                done = subprocess.run([PERP, *map(str, verb)], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr),
                                 (2, b"perp: standard output: cannot be written (No space left on device)\n"))

    def test_records_stay_whole(self):
        for name in "abcdef":
            self.write(f"in/{name}.json", lcp(name=name))
        command = ("bench", self.folder / "in", "--solvers", "lemke", "--repeat", "1", "-o", self.folder / "out")
        self.refuse(*command, words=["out/records.jsonl: cannot be written (File too large)"], preexec_fn=small_files(3000))
        text = (self.folder / "out" / "records.jsonl").read_text()
        lines = text.splitlines()
        self.assertTrue(0 < len(lines) < 6 and text.endswith("\n"))
        for line in lines:
            self.assert_valid(parse_json(line), "record")
        done = self.perp(*command, "--resume")
        self.assertIn(f"{6 - len(lines)} runs", done.stderr)

    def test_a_run_stays_whole(self):
        run = self.folder / "run"
        self.refuse("simulate", "box-stack", "--duration", "10", "--no-contacts", "--record-problems", "none", "--record", run,
                    words=["cannot be written (File too large)"], preexec_fn=small_files(20000))
        self.assertFalse(json.loads((run / "run.json").read_text())["complete"])
        for name in ("trajectory.csv", "steps.csv"):
            self.assertTrue((run / name).read_text().endswith("\n"))
        self.succeed(*SHORT, run)

    def test_a_run_that_cannot_be_recorded_says_so(self):
        run = self.folder / "run"
        self.refuse("simulate", "box-stack", "--duration", "10", "--record-problems", "none", "--record", run,
                    words=["contacts.csv: cannot be written (File too large)"], preexec_fn=small_files(20000))
        told = json.loads((run / "run.json").read_text())
        steps = {line.split(",")[0] for line in (run / "steps.csv").read_text().splitlines()[1:]}
        self.assertGreater(len(steps), 1)
        self.assertLessEqual(abs(told["steps"] - len(steps)), 1)  # the last step is in some files only
        self.assertIn("contacts.csv: cannot be written", told["message"])

    def test_a_sequence_that_cannot_be_written_on_stays_whole(self):
        run = self.folder / "run"
        self.refuse("simulate", "box-stack", "--no-contacts", "--record-problems", "all", "--sequence", "--record", run,
                    words=["problems.jsonl: cannot be written (File too large)"], preexec_fn=small_files(40000))
        text = (run / "problems.jsonl").read_text()
        self.assertTrue(text.endswith("\n"))
        for line in text.splitlines():
            parse_json(line)

    def test_recorded_problems(self):
        self.refuse(*SHORT, self.folder / "run", words=["000001-contact.json", "cannot be written"], preexec_fn=small_files(5000))
        self.refuse(*SHORT, self.folder / "run", "--sequence", words=["problems.jsonl", "cannot be written"],
                    preexec_fn=small_files(5000))
        self.assert_no_leftovers()


class TestOutputsAreOpenedFirst(LostTestCase):
    """A wrong name costs no hour: the work that would take long is not begun."""

    def test_trace(self):
        slow = f"exec:touch {shlex.quote(str(self.folder / 'begun'))}; sleep 20"
        problem = self.write("p.json", lcp())
        self.succeed("export", "murty", "--size", "30", "-o", self.folder)
        for place in ("nowhere/trace.csv", ".", "p.json/trace.csv"):
            self.refuse("solve", self.folder / "murty-30.json", "--solver", "lemke", "--trace", self.folder / place,
                        words=["cannot be written"])
        self.refuse("solve", problem, "--solver", slow, "--trace", self.folder / "t.csv", words=["--trace"])
        self.assertFalse((self.folder / "begun").exists())
        self.refuse_and_keep(self.folder, "solve", problem, "--trace", problem, words=["p.json", "--trace"])

    def test_report(self):
        """The page's place is looked at before the records are."""
        self.refuse("report", self.folder / "none", "-o", self.folder / "nowhere" / "r.html", words=["nowhere", "cannot be written"])

    def test_convert(self):
        self.refuse("convert", self.folder / "none.json", self.folder / "nowhere" / "p.json", words=["nowhere", "cannot be written"])

    def test_export(self):
        place = self.write("file", "mine")
        self.refuse("export", "box-stack", "--steps", "1:100000", "-o", place / "out", words=["file/out"])


class ProgramTestCase(LostTestCase):
    def program(self, *lines):
        """An external program as lines of sh, whose process and whose child's are in the file pids."""
        return "exec:" + "; ".join((f"echo $$ >> {shlex.quote(str(self.folder / 'pids'))}", *lines))

    def pids(self, wanted):
        end = time.monotonic() + 30
        while True:
            path = self.folder / "pids"
            pids = [int(word) for word in path.read_text().split()] if path.exists() else []
            if len(pids) >= wanted:
                return pids
            self.assertLess(time.monotonic(), end, "the program was not started")
            time.sleep(0.01)

    def is_alive(self, pid):
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    def end(self, command, which, pids=2):
        """Sends the signal to perp at work; returns its end and output once everything that it started is gone."""
        process = subprocess.Popen([PERP, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            started = self.pids(pids)
            process.send_signal(which)
            began = time.monotonic()
            output, errors = process.communicate(timeout=15)
            self.assertLess(time.monotonic() - began, 10)
        finally:
            process.kill()
            process.wait()
        end = time.monotonic() + 10
        while any(map(self.is_alive, started)):
            self.assertLess(time.monotonic(), end, "a program outlives perp")
            time.sleep(0.01)
        (self.folder / "pids").unlink()
        return process.returncode, output.decode(), errors.decode()


SLEEPS = ("sleep 60 & echo $! >> {pids}", "wait")
STUBBORN = ("trap '' TERM INT HUP", "sleep 60 & echo $! >> {pids}", "while true; do wait; done")


@with_cases({f"{verb}_{name}_{which.name.lower()}": (verb, lines, which)
             for verb in ("solve", "bench", "simulate")
             for name, lines, signals in (("sleeps", SLEEPS, (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)),
                                          ("stubborn", STUBBORN, (signal.SIGTERM,)))
             for which in signals})
class TestSignals(ProgramTestCase):
    """SIGINT and SIGTERM end perp and all it started, at once and by that signal; SIGKILL leaves nobody behind, either."""

    def check(self, verb, lines, which):
        program = self.program(*(line.format(pids=shlex.quote(str(self.folder / "pids"))) for line in lines))
        problem = self.write("p.json", lcp())
        command = {"solve": ("solve", problem, "--json", "--solver", program),
                   "bench": ("bench", problem, "--solvers", program, "-o", self.folder / "out"),
                   "simulate": ("simulate", "box-stack", "--solver", program, "--record", self.folder / "run")}[verb]
        code, output, _ = self.end(command, which)
        self.assertEqual(code, -which)
        if which == signal.SIGKILL:
            return
        if verb == "solve":
            result = parse_json(output)
            self.assert_valid(result, "result")
            self.assertEqual((result["status"], result["z"]), ("interrupted", []))
        elif verb == "bench":
            self.assertEqual((self.folder / "out" / "records.jsonl").read_text(), "")
        else:
            run = json.loads((self.folder / "run" / "run.json").read_text())
            self.assertEqual((run["complete"], run["steps"], run["failed_steps"]), (False, 0, 0))


class TestPrograms(ProgramTestCase):
    def test_the_time_limit_reaches_what_a_program_started(self):
        pids = shlex.quote(str(self.folder / "pids"))
        program = self.program(*(line.format(pids=pids) for line in STUBBORN))
        result = self.solve(lcp(), "--solver", program, "--time-limit", "0.5", code=1)
        self.assertEqual(result["status"], "time_limit")
        started = self.pids(2)
        time.sleep(0.05)
        self.assertFalse(any(map(self.is_alive, started)))

    def test_what_a_program_leaves_behind_is_ended(self):
        pids = shlex.quote(str(self.folder / "pids"))
        self.solve(lcp(), "--solver", self.program(f"sleep 60 >/dev/null & echo $! >> {pids}", """echo '{"z": [2, 0]}'"""))
        started = self.pids(2)
        time.sleep(0.05)
        self.assertFalse(any(map(self.is_alive, started)))

    def test_a_program_that_closes_its_output_and_goes_on(self):
        result = self.solve(lcp(), "--solver", "exec:exec >&- 2>&-; sleep 60", "--time-limit", "0.5", code=1)
        self.assertEqual(result["status"], "time_limit")

    def test_last_words(self):
        result = self.solve(lcp(), "--solver", r"exec:printf 'first\nno such \033[31mmatrix\n' >&2; exit 3", code=1)
        self.assertEqual(result["message"], r"the program ended with exit code 3; it said: first | no such \x1b[31mmatrix")

    def test_long_last_words_are_cut(self):
        result = self.solve(lcp(), "--solver", "exec:seq 100000 >&2; kill -SEGV $$", code=1)
        self.assertLess(len(result["message"]), 600)
        self.assertIn("signal 11", result["message"])
        self.assertTrue(result["message"].endswith("99999 | 100000"), result["message"])

    def test_last_words_are_in_the_record(self):
        self.succeed("bench", self.write("p.json", lcp()), "--solvers", "exec:echo no licence >&2; exit 1", "-o", self.folder / "out")
        record = parse_json((self.folder / "out" / "records.jsonl").read_text())
        self.assertIn("no licence", record["message"])

    def test_a_name_and_a_comma(self):
        answer = self.write("answer.json", {"z": [2, 0]})
        command = f'python3 -c "print(open({str(answer)!r}).read(), end=chr(10))"'
        self.succeed("bench", self.write("p.json", lcp()), "--repeat", "1", "-o", self.folder / "out",
                     "--solvers", f"lemke,mine=exec:{command},quoted=exec:" + json.dumps(f"echo 1, 2 >&2; cat {answer}"))
        records = [parse_json(line) for line in (self.folder / "out" / "records.jsonl").read_text().splitlines()]
        for record in records:
            self.assert_valid(record, "record")
        self.assertEqual([(r["solver"], r["outcome"], r.get("command")) for r in records],
                         [("lemke", "solved", None), ("mine", "solved", command),
                          ("quoted", "solved", f"echo 1, 2 >&2; cat {answer}")])
        self.assertEqual(self.solve(lcp(), "--solver", f"mine=exec:{command}")["solver"], "mine")
        run = ("simulate", "box-stack", "--duration", "0.01", "--json", "--solver", "mine=exec:false", "--set",
               "max_iterations=7", "--record", self.folder / "run")
        self.assertEqual(parse_json(self.perp(*run).stdout)["solver"], "mine")
        told = json.loads((self.folder / "run" / "run.json").read_text())
        self.assertEqual((told["solver"], told["command"], told["settings"]), ("mine", "false", {"max_iterations": "7"}))

    def test_names_that_cannot_be(self):
        problem = self.write("p.json", lcp())
        for solvers, word in (("a b=exec:true", "letters"), ("=exec:true", "letters"), ("lemke=exec:true", "lemke"),
                              ("a=exec:true,a=exec:false", "two programs"), ("lemke,,auto", "empty"), ("exec:echo 'x", "'"),
                              ('exec:"a, b', '"')):
            self.refuse("bench", problem, "--solvers", solvers, "-o", self.folder / "out", words=[word])

    def test_certificates_are_passed_on(self):
        problem = lcp(M={"shape": [2, 2], "dense": [[-1, 0], [0, -1]]}, q=[-1, -1])
        claim = {"z": [0, 0], "status": "infeasible", "certificate": {"type": "farkas", "y": [1, 1], "checked": True}}
        result = self.solve(problem, "--solver", f"exec:cat {shlex.quote(str(self.write('claim.json', claim)))}", code=1)
        self.assertEqual((result["certificate"]["type"], result["certificate"]["y"]), ("farkas", [1, 1]))


class TestSettings(LostTestCase):
    def setUp(self):
        super().setUp()
        self.problem = self.write("p.json", lcp())

    def bench(self, solvers, *settings, refuse=(), what=None):
        command = ("bench", what or self.problem, "--repeat", "1", "--solvers", solvers, "-o", self.folder / "out",
                   *(word for setting in settings for word in ("--set", setting)))
        if refuse:
            self.refuse(*command, words=refuse)
            self.assertFalse((self.folder / "out").exists())
            return None
        done = self.perp(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (self.folder / "out" / "records.jsonl").read_text().splitlines()
        return done.stderr, {record["solver"]: record for record in map(parse_json, lines)}

    def test_bad_values_are_refused_before_the_first_run(self):
        for solver, setting in (("newton-fb", "function=bad"), ("pgs", "relaxation=5"), ("lemke", "ties=bad"), ("nsgs", "order=bad"),
                                ("newton-ac", "map=bad"), ("gradient-projection", "face=bad"), ("auto", "ties=bad"),
                                ("lemke,pgs", "relaxation=0"), ("lemke", "row_tolerance=many"), ("lemke", "equilibrate=2")):
            self.bench(solver, setting, refuse=[setting.split("=", maxsplit=1)[0]])

    def test_every_text_setting_has_its_values(self):
        """Whatever a solver takes a word for, it does not take any word."""
        solvers = json.loads(self.succeed("list", "solvers", "--json"))["solvers"]
        words = [(solver["name"], setting["name"]) for solver in solvers for setting in solver["settings"]
                 if re.fullmatch("[a-z][a-z-]*", setting["default"]) and setting["default"] not in ("true", "false")]
        self.assertGreater(len(words), 20)
        for solver, setting in words:
            with self.subTest(f"{solver} {setting}"):
                self.bench(solver, f"{setting}=no-such-word", refuse=[setting])

    def test_reductions(self):
        for value in ("bad", "pyramid:", "pyramid:x", "pyramid:0"):
            self.bench("auto", f"reduction={value}", refuse=["reduction", value.rsplit(":", maxsplit=1)[-1] or value])

    def test_a_setting_that_nobody_has(self):
        self.bench("lemke,pgs", "relaxtion=1", refuse=["relaxtion", "relaxation"])
        self.bench("exec:true", "relaxation=1", refuse=["relaxation"])

    def test_a_setting_that_some_have_goes_to_those(self):
        errors, records = self.bench("lemke,pgs", "relaxation=0.5", "max_iterations=500")
        self.assertIn("perp: --set relaxation: is not a setting of lemke; there it is left out\n", errors)
        self.assertEqual(records["lemke"]["settings"], {"max_iterations": "500"})
        self.assertEqual(records["pgs"]["settings"], {"relaxation": "0.5", "max_iterations": "500"})
        self.assertEqual({r["outcome"] for r in records.values()}, {"solved"})

    def test_auto_passes_each_method_what_it_has(self):
        """Of the plans only that of mcp has josephy-newton; the records tell what was asked for."""
        self.write("in/lcp.json", lcp())
        cubic = {"nodes": [["var", 0], ["mul", 0, 0], ["mul", 0, 1], ["add", 2, 0], ["const", 10], ["sub", 3, 4]],
                 "outputs": [5], "parameters": []}
        self.write("in/mcp.json", make_problem("mcp", n=1, graph=cubic, lower=["-inf"], upper=["inf"]))
        self.bench("auto", "crash_iterations=3", what=self.folder / "in")
        lines = (self.folder / "out" / "records.jsonl").read_text().splitlines()
        self.assertEqual({r["kind"]: (r["outcome"], r["settings"]) for r in map(parse_json, lines)},
                         {kind: ("solved", {"crash_iterations": "3"}) for kind in ("lcp", "mcp")})
        for kind, methods in (("lcp", set()), ("mcp", {"josephy-newton"})):
            done = self.perp("solve", self.folder / "in" / f"{kind}.json", "--json", "--set", "crash_iterations=3",
                             "--max-iterations", "1")
            route = parse_json(done.stdout)["route"]
            self.assertEqual({step["solver"].split()[0] for step in route if "crash_iterations=3" in step["settings"]}, methods, route)

    def test_other_verbs(self):
        self.refuse("solve", self.problem, "--solver", "newton-fb", "--set", "function=bad", words=["function"])
        self.refuse("simulate", "box-stack", "--set", "ties=bad", words=["ties"])


@with_cases({
    "export_scene_seeds": (("export", "box-stack", "--seeds", "3", "-o", "OUT"), "--seeds"),
    "export_scene_seed": (("export", "box-stack", "--seed", "3", "-o", "OUT"), "--seed"),
    "export_scene_size": (("export", "box-stack", "--size", "3", "-o", "OUT"), "--size"),
    "export_scene_member": (("export", "box-stack", "--member", "a", "-o", "OUT"), "--member"),
    "export_family_steps": (("export", "psd", "--steps", "1:2", "-o", "OUT"), "--steps"),
    "export_family_step": (("export", "psd", "--step", "0.1", "-o", "OUT"), "--step"),
    "export_family_driver": (("export", "psd", "--driver", "event-driven", "-o", "OUT"), "--driver"),
    "export_family_formulation": (("export", "psd", "--formulation", "stewart-trinkle", "-o", "OUT"), "--formulation"),
    "export_family_sequence": (("export", "psd", "--sequence", "-o", "OUT"), "--sequence"),
    "export_family_without_chance": (("export", "fathi", "--size", "3", "--seeds", "3", "-o", "OUT"), "--seeds"),
    "simulate_max_events": (("simulate", "pendulum", "--max-events", "3"), "--max-events"),
    "simulate_no_step": (("simulate", "pendulum", "--duration", "0.001"), "--duration"),
    "simulate_sequence_of_nothing": (("simulate", "pendulum", "--record", "OUT", "--record-problems", "none", "--sequence"), "--sequence"),
    "solve_trace_of_a_program": (("solve", "P", "--solver", "exec:true", "--trace", "OUT"), "--trace"),
    "bench_quick_without_suites": (("bench", "P", "--quick", "-o", "OUT"), "--quick"),
})
class TestFlagsWithoutEffect(LostTestCase):
    def check(self, arguments, flag):
        places = {"OUT": self.folder / "out", "P": self.write("p.json", lcp())}
        self.refuse(*(places.get(word, word) for word in arguments), words=[flag])
        self.assertFalse((self.folder / "out").exists())


class TestFlagsWithEffect(LostTestCase):
    """What one of the names takes is not refused for the others."""

    def test_scenes_and_families(self):
        out = self.succeed("export", "box-stack", "psd", "--size", "2", "--seeds", "2", "--steps", "1:2", "-o", self.folder / "out")
        self.assertEqual(out.count(".json"), 4)

    def test_max_events(self):
        self.succeed("simulate", "sphere-collision", "--driver", "event-driven", "--formulation", "anitescu-potra",
                     "--max-events", "50", "--duration", "0.05")


class TestDuals(LostTestCase):
    CONIC = ("box-on-ramp", "--formulation", "anitescu-tasora")

    def test_exported_answers_are_granted(self):
        path = self.succeed("export", *self.CONIC, "--steps", "2:2", "-o", self.folder).strip()
        problem = json.loads(self.text(path))
        self.assert_valid(problem, "problem")
        self.assertEqual(problem["kind"], "conic_qp")
        self.assertEqual(len(problem["solution"]["dual"]), len(problem["b"]))
        self.succeed("verify", path, self.write("r.json", problem["solution"]))
        without = self.succeed("verify", path, self.write("r.json", {"z": problem["solution"]["z"]}), "--json")
        self.assertIn("least squares", parse_json(without)["message"])

    def test_recorded_answers_too(self):
        self.succeed("simulate", *self.CONIC, "--duration", "0.05", "--record-problems", "2:2", "--record", self.folder / "run")
        [path] = (self.folder / "run" / "problems").iterdir()
        self.succeed("verify", path, self.write("r.json", json.loads(path.read_text())["solution"]))

    def verify(self, problem, z):
        done = self.perp("verify", self.write("p.json", problem), self.write("r.json", {"z": z}), "--json")
        return done.returncode, parse_json(done.stdout)

    def test_by_least_squares(self):
        cone = {"type": "second_order", "size": 3}
        cases = {
            # An equation and a bound that holds the answer, another that does not.
            "linear": (make_problem("conic_qp"), [0, 2], [1, 1]),
            # On the border of the cone: the smallest t above ||(3, 4)||.
            "border": (make_problem("conic_qp", P={"shape": [2, 2], "row": [], "col": [], "value": []}, c=[1, 0],
                                    A={"shape": [4, 2], "dense": [[0, 1], [-1, 0], [0, -1], [0, 0]]}, b=[3, 0, 0, 4],
                                    cones=[{"type": "zero", "size": 1}, cone]), [5, 3], [6, 3]),
            # At its tip: the projection of (-1, 0.2, 0.3) is 0.
            "tip": (make_problem("conic_qp", n=3, P={"shape": [3, 3], "dense": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]},
                                 c=[1, -0.2, -0.3], A={"shape": [3, 3], "dense": [[-1, 0, 0], [0, -1, 0], [0, 0, -1]]},
                                 b=[0, 0, 0], cones=[cone]), [0, 0, 0], [0.1, 0, 0]),
        }
        for name, (problem, right, wrong) in cases.items():
            with self.subTest(name):
                code, verdict = self.verify(problem, right)
                self.assertEqual((code, verdict["solved"]), (0, True), verdict)
                self.assertIn("least squares", verdict["message"])
                code, verdict = self.verify(problem, wrong)
                self.assertEqual((code, verdict["solved"]), (1, False), verdict)
                self.assertIn('no dual (field "dual")', verdict["message"])

    def test_a_wrong_point_at_the_tip_is_not_granted(self):
        """Its gradient (0.1, -0.2, -0.3) is outside the dual cone."""
        problem = make_problem("conic_qp", n=3, P={"shape": [3, 3], "dense": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, c=[0.1, -0.2, -0.3],
                               A={"shape": [3, 3], "dense": [[-1, 0, 0], [0, -1, 0], [0, 0, -1]]}, b=[0, 0, 0],
                               cones=[{"type": "second_order", "size": 3}])
        self.assertEqual(self.verify(problem, [0, 0, 0])[0], 1)


class TestSource(LostTestCase):
    WANTED = {"scene": "box-stack", "formulation": "stewart-trinkle:edges=6", "driver": "time-stepping", "solver": "auto",
              "step": 2, "stage": "contact"}

    def check(self, source):
        self.assertEqual({key: source[key] for key in self.WANTED}, self.WANTED)
        self.assertEqual((source["parameters"]["rows"], source["h"]), (2, 0.005))
        self.assertAlmostEqual(source["time"], 0.005)

    def test_of_exported_and_recorded_problems(self):
        options = ("box-stack", "--param", "rows=2", "--step", "0.005", "--formulation", "stewart-trinkle:edges=6")
        path = self.succeed("export", *options, "--steps", "2:2", "-o", self.folder).strip()
        exported = json.loads(self.text(path))
        self.check(exported["source"])
        self.succeed("simulate", *options, "--duration", "0.01", "--record-problems", "2:2", "--record", self.folder / "run")
        [recorded] = (self.folder / "run" / "problems").iterdir()
        self.assertEqual(json.loads(recorded.read_text()), exported)

    def test_of_sequences(self):
        path = self.succeed("export", "box-stack", "--steps", "1:2", "--sequence", "-o", self.folder).strip()
        header, first, _ = map(json.loads, self.text(path).splitlines())
        self.assertEqual((header["source"]["scene"], header["source"]["formulation"]), ("box-stack", "stewart-trinkle"))
        self.assertIn("rows", header["source"]["parameters"])
        self.assertEqual(first["source"]["step"], 1)

    def test_of_a_family(self):
        path = self.succeed("export", "contact-stack", "--size", "2", "--seed", "3", "--param", "mu=0.3", "-o", self.folder).strip()
        source = json.loads(self.text(path))["source"]
        self.assertEqual((source["family"], source["seed"], source["mu"]), ("contact-stack", 3, 0.3))


if __name__ == "__main__":
    unittest.main()
