"""perp export --collection: every file of a small collection is judged here, without perp where that is possible."""
import csv
import gzip
import hashlib
import importlib.util
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import (PERP, ROOT, CliTestCase, dense_rows, natural_residual, parse_json, product,  # noqa: E402
                      schema_errors, transpose, with_cases)
from test_foreign_formats import Mof  # noqa: E402

RECIPE = ROOT / "problems" / "recipes" / "collection.json"
PAGE = ROOT / "docs" / "how-to" / "collection.md"
SICONOS = {"licence": "Apache-2.0", "licence_file": "collections/siconos/LICENSE.Apache-2.0", "origin": "test data of Siconos"}
ENTRIES = [
    {"family": "psd", "sizes": [5], "seeds": [1, 2]},
    {"family": "psd-deficient", "sizes": [6], "seeds": [1, 1], "tier": "full"},
    {"family": "infeasible", "sizes": [6], "seeds": [1, 2]},
    {"family": "no-solution", "sizes": [4], "seeds": [1, 1]},
    {"family": "contact-stack", "sizes": [1], "seeds": [1, 1], "parameters": {"mu": 0.3}},
    {"family": "box-qp", "sizes": [6], "seeds": [1, 1]},
    {"family": "socp", "sizes": [5], "seeds": [1, 1]},
    {"family": "socp-infeasible", "sizes": [5], "seeds": [1, 1]},
    {"family": "socp-unbounded", "sizes": [5], "seeds": [1, 1]},
    {"family": "friction-stack", "sizes": [2], "seeds": [1, 1]},
    {"family": "friction-granular", "sizes": [4], "seeds": [1, 1], "parameters": {"operator": 1}},
    {"family": "random-ncp", "sizes": [5], "seeds": [1, 1]},
    {"family": "mcp-classics", "members": ["josephy-*", "hs34-*", "hs71-*", "nash-5-*", "kinks-*", "pies-ones"]},
    {"scene": "box-on-ramp", "steps": [2, 3]},
    {"scene": "box-on-ramp", "formulation": "stewart-trinkle:edges=6", "parameters": {"mu": 0.4}, "steps": [2, 2]},
    {"scene": "box-on-ramp", "formulation": "max-dissipation-step", "steps": [2, 2]},
    {"scene": "disc", "formulation": "geometric-implicit", "steps": [1, 2]},
    {"files": ["collections/siconos/lcp/lcp_CPS_*.json", "collections/siconos/mlcp/relay*.json"], **SICONOS},
]


def recipe(*entries, name="small"):
    return {"format": "perp-suite", "version": 1, "name": name, "description": "A few of each", "entries": list(entries)}


class ModelAtPoint(Mof):
    """The reader of the tests, which here asks for F at no other point than z: others may be outside its domain."""

    def paired(self, function, half):
        """The variables that the second half of the rows are."""
        if function["type"] == "VectorNonlinearFunction":
            return function["rows"][half:]
        names = {t["output_index"] - half: t["scalar_term"]["variable"] for t in function["terms"] if t["output_index"] > half}
        return [names[row] for row in range(1, half + 1)]

    def evaluate(self, z):
        at, f = dict(zip(self.names, z)), {}
        for constraint in self.model["constraints"]:
            if constraint["set"]["type"] == "Complements":
                half = constraint["set"]["dimension"] // 2
                f.update(zip(self.paired(constraint["function"], half), self.rows(constraint["function"], at)[:half]))
        return [f[name] for name in self.names]


def residual_of(mof, z):
    """max |mid(z - l, z - u, F(z))| with the bounds and F of a MathOptFormat model."""
    return max(abs(sorted((x - low, x - high, f))[1]) for x, (low, high), f in zip(z, mof.bounds(), mof.evaluate(z)))


def files_below(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


class CollectionTestCase(CliTestCase):
    def export(self, folder, *entries, options=()):
        path = self.write("recipe.json", recipe(*entries))
        return self.perp("export", "--collection", folder, "--recipe", path, *options)

    def refuse(self, done, *words):
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr + done.stdout)
        for word in words:
            self.assertIn(str(word), done.stderr)


class SharedCollection(CollectionTestCase):
    """One collection for all tests of a class; nobody changes it. ENTRIES None: perp's own recipe."""
    ENTRIES, OPTIONS = ENTRIES, ()

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="perp-test-")
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.root = Path(cls.scratch.name) / "out"
        options = list(cls.OPTIONS)
        if cls.ENTRIES is not None:
            options += ["--recipe", Path(cls.scratch.name) / "recipe.json"]
            options[-1].write_text(json.dumps(recipe(*cls.ENTRIES)))
        cls.done = subprocess.run([PERP, "export", "--collection", cls.root, *options], capture_output=True, text=True,
                                  timeout=500, check=False)
        if cls.done.returncode != 0:
            raise AssertionError(cls.done.stderr)
        cls.index = parse_json((cls.root / "index.json").read_text())

    def file_of(self, instance, form):
        return next((self.root / f["path"] for f in instance["files"] if f["format"] == form), None)

    def load(self, instance, form):
        path = self.file_of(instance, form)
        return parse_json((gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode())

    def labelled(self, label):
        return [i for i in self.index["instances"] if i["label"] == label]

    def verify_answers(self):
        solved = self.labelled("solved")
        for instance in solved:
            with self.subTest(instance["name"]):
                verdict = parse_json(self.succeed("verify", self.file_of(instance, "perp"), self.file_of(instance, "answer"),
                                                  "--tolerance", self.index["tolerance"], "--json"))
                self.assertEqual((verdict["problem"], verdict["measure"]), (instance["name"], instance["residual"]))
        return solved


class TestSmallCollection(SharedCollection):
    def test_index_is_valid_and_counts_what_is_there(self):
        self.assert_valid(self.index, "collection")
        instances = self.index["instances"]
        self.assertEqual(len({i["name"] for i in instances}), len(instances))
        for kind in {i["kind"] for i in instances}:
            of_kind = [i["label"] for i in instances if i["kind"] == kind]
            self.assertEqual(self.index["kinds"][kind], {"instances": len(of_kind), **{
                label: of_kind.count(label) for label in ("solved", "proof", "open")}})
        self.assertEqual(self.index["counts"]["instances"], len(instances))
        self.assertEqual(set(self.index["kinds"]), {"lcp", "mlcp", "mcp", "box_qp", "conic_qp", "friction_contact"})
        table = [line.split() for line in self.done.stdout.splitlines()]
        counts = self.index["counts"]
        self.assertEqual(table[-1], ["all", *(str(counts[k]) for k in ("instances", "solved", "proof", "open"))])

    def test_problems_and_answers_are_valid(self):
        for instance in self.index["instances"]:
            with self.subTest(instance["name"]):
                problem = self.load(instance, "perp")
                self.assertEqual(schema_errors(problem, "problem"), [])
                self.assertEqual((problem["name"], problem["kind"], problem["n"]),
                                 (instance["name"], instance["kind"], instance["n"]))
                self.assertEqual(problem.get("source"), instance["origin"]["source"])
                if instance["label"] == "open":
                    self.assertIsNone(self.file_of(instance, "answer"))
                else:
                    answer = self.load(instance, "answer")
                    self.assertEqual(schema_errors(answer, "answer"), [])
                    self.assertEqual((answer["problem"], answer["label"]), (instance["name"], instance["label"]))

    def test_every_answer_is_granted_by_perp_verify(self):
        self.assertGreater(len(self.verify_answers()), 30)

    def test_every_linear_answer_holds_in_exact_arithmetic(self):
        judged = [i for i in self.labelled("solved") if i["kind"] in ("lcp", "mlcp", "box_qp")]
        self.assertGreater(len(judged), 12)
        for instance in judged:
            with self.subTest(instance["name"]):
                residual = natural_residual(self.load(instance, "perp"), self.load(instance, "answer")["z"])
                self.assertLessEqual(residual, 1e-8)
                self.assertLessEqual(residual, instance["residual"])  # which is rounded up
                self.assertLessEqual(instance["residual"], 1.001 * residual + 1e-300)

    def test_proofs(self):
        """Of the linear ones: y >= 0, M'y <= 0, q'y < 0; of the unbounded one a direction. Up to rounding; perp is exact."""
        proofs = self.labelled("proof")
        self.assertEqual({(i["kind"], i["proof"]) for i in proofs},
                         {("lcp", "farkas"), ("conic_qp", "farkas"), ("conic_qp", "unbounded")})
        for instance in proofs:
            problem, certificate = self.load(instance, "perp"), self.load(instance, "answer")["certificate"]
            self.assertTrue(certificate["checked"])
            self.assertEqual(instance["known"], "no_solution" if instance["proof"] == "unbounded" else "infeasible")
            if instance["kind"] == "lcp":
                y = certificate["y"]
                self.assertGreaterEqual(min(y), 0)
                self.assertLess(max(product(transpose(dense_rows(problem["M"])), y)), Fraction(1, 10**9))
                self.assertLess(sum(Fraction(a) * Fraction(b) for a, b in zip(problem["q"], y)), -Fraction(1, 10**6))
            elif instance["proof"] == "farkas":
                y = certificate["y"]
                self.assertLess(max(map(abs, product(transpose(dense_rows(problem["A"])), y))), Fraction(1, 10**9))
                self.assertLess(sum(a * b for a, b in zip(problem["b"], y)), -1e-6)
            else:
                z = certificate["z"]
                self.assertLess(max(map(abs, product(dense_rows(problem["P"]), z))), Fraction(1, 10**9))
                self.assertLess(sum(a * b for a, b in zip(problem["c"], z)), -1e-6)

    def test_what_has_no_solution_is_open(self):
        self.assertEqual([(i["name"], i["known"]) for i in self.labelled("open")], [("no-solution-4-1", "no_solution")])

    def test_mof_files_at_the_answers(self):
        """Read by the reader of the tests: F and the bounds of the file give the residual that perp tells."""
        judged = [i for i in self.labelled("solved") if i["kind"] in ("lcp", "mlcp", "mcp")]
        self.assertGreater(len(judged), 25)
        refused = 0
        for instance in judged:
            with self.subTest(instance["name"]):
                mof, z = ModelAtPoint(self.file_of(instance, "mof").read_text()), self.load(instance, "answer")["z"]
                self.assertAlmostEqual(residual_of(mof, z), instance["residual"], delta=1e-9)
                refused += residual_of(mof, [x + 0.01 for x in z]) > 1e-5
        self.assertGreater(refused, 0.9 * len(judged))  # it can tell; some have other answers nearby

    def test_matrix_market_holds_the_same_numbers(self):
        for instance in self.index["instances"]:
            fields = {f["field"]: self.root / f["path"] for f in instance["files"] if f["format"] == "mtx"}
            self.assertEqual(bool(fields), instance["kind"] != "mcp")
            problem = self.load(instance, "perp")
            for field, path in fields.items():
                rows = [line.split() for line in path.read_text().splitlines() if not line.startswith("%")]
                if field in ("q", "c", "b", "mu"):
                    self.assertEqual([float(x) for x, in rows[1:]], problem[field])
                elif field in ("M", "H", "W", "P", "A") and len(rows[0]) == 3:
                    found = [[Fraction(0)] * int(rows[0][1]) for _ in range(int(rows[0][0]))]
                    for i, j, value in rows[1:]:
                        found[int(i) - 1][int(j) - 1] = Fraction(float(value))
                    self.assertEqual(found, dense_rows(problem[field]))

    def test_fclib_comes_back(self):
        judged = [i for i in self.index["instances"] if i["kind"] == "friction_contact"]
        self.assertEqual(len(judged), 2)
        for instance in judged:
            back = self.convert(self.file_of(instance, "fclib"))
            self.assertEqual((back["kind"], back["mu"]), ("friction_contact", self.load(instance, "perp")["mu"]))
            self.succeed("verify", self.file_of(instance, "fclib"), self.file_of(instance, "answer"), "--tolerance", "1e-8")

    def test_checksums(self):
        sums = dict(reversed(line.split("  ", 1)) for line in (self.root / "SHA256SUMS").read_text().splitlines())
        found = {name: hashlib.sha256(text).hexdigest() for name, text in files_below(self.root).items()}
        self.assertEqual(set(found) - set(sums), {"SHA256SUMS"})
        self.assertEqual(sums, {name: found[name] for name in sums})
        for instance in self.index["instances"]:
            for file in instance["files"]:
                self.assertEqual((file["sha256"], file["bytes"]), (found[file["path"]], (self.root / file["path"]).stat().st_size))
        listed = {f["path"] for i in self.index["instances"] for f in i["files"]} | {t["text"] for t in self.index["licences"]}
        self.assertEqual(set(found) - listed, {"index.json", "index.csv", "recipe.json", "README.md", "SHA256SUMS"})
        done = subprocess.run(["sha256sum", "-c", "--strict", "--quiet", "SHA256SUMS"], cwd=self.root, capture_output=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)

    def test_csv_agrees_with_json(self):
        with open(self.root / "index.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["name"] for row in rows], [i["name"] for i in self.index["instances"]])
        for row, instance in zip(rows, self.index["instances"]):
            source, matrices = instance["origin"]["source"] or {}, instance["matrices"] or [{}]
            expected = {k: instance[k] for k in ("kind", "n", "rows", "contacts", "class", "vacuous", "label", "status", "from",
                                                 "solver", "residual", "proof", "known", "licence")}
            expected.update(instance["bounds"])
            expected.update({k: source.get(k) for k in ("family", "member", "size", "seed", "scene", "formulation", "driver",
                                                        "step", "stage")})
            expected.update({k: matrices[0].get(k) for k in ("nonzeros", "symmetric", "definiteness", "rank", "z_matrix")})
            expected["condition"] = (instance["condition"] or {}).get("estimate")
            for name, value in expected.items():
                with self.subTest(f"{instance['name']} {name}"):
                    found = row[name]
                    if value is None:
                        self.assertEqual(found, "")
                    elif isinstance(value, bool):
                        self.assertEqual(found, str(value).lower())
                    elif isinstance(value, (int, float)):
                        self.assertEqual(float(found), value)
                    else:
                        self.assertEqual(found, value)
            self.assertEqual(self.root / row["problem"], self.file_of(instance, "perp"))

    def test_class_is_that_of_perp_info(self):
        for instance in self.index["instances"][::5]:
            facts = parse_json(self.succeed("info", self.file_of(instance, "perp"), "--json"))
            for name in ("kind", "n", "bounds", "contacts", "matrices", "class", "vacuous"):
                self.assertEqual(facts[name], instance[name])

    def test_names_tell_parameters_and_formulations_apart(self):
        names = {i["name"] for i in self.index["instances"]}
        for name in ("contact-stack-1-1-mu=0.3", "mcp-classics-josephy-1", "siconos-lcp-lcp_CPS_1",
                     "box-on-ramp-stewart-trinkle-000002-contact", "box-on-ramp-mu=0.4-stewart-trinkle-edges=6-000002-contact",
                     "disc-geometric-implicit-000001-contact"):
            self.assertIn(name, names)

    def test_licences(self):
        self.assertEqual({i["licence"] for i in self.index["instances"]}, {"BSD-3-Clause", "Apache-2.0"})
        texts = {t["licence"]: (self.root / t["text"]).read_bytes() for t in self.index["licences"]}
        self.assertEqual(texts["Apache-2.0"], (ROOT / "problems/collections/siconos/LICENSE.Apache-2.0").read_bytes())
        self.assertEqual(texts["BSD-3-Clause"], (ROOT / "LICENSE").read_bytes())
        stored = [i for i in self.index["instances"] if i["origin"]["type"] == "file"]
        self.assertEqual({(i["licence"], i["origin"]["from"]) for i in stored}, {("Apache-2.0", SICONOS["origin"])})
        self.assertEqual(stored[0]["origin"]["path"], "collections/siconos/lcp/lcp_CPS_1.json")

    def test_no_path_of_this_machine(self):
        for name, text in files_below(self.root).items():
            for place in (ROOT, self.root, Path.home()):
                if len(str(place)) > 5:
                    self.assertNotIn(str(place).encode(), text, name)

    def test_bench_takes_its_problems(self):
        self.succeed("bench", self.root / "problems" / "mlcp", "--solvers", "lemke", "--repeat", "1", "-o", self.folder / "run")

    def test_quick_leaves_out_what_is_full(self):
        self.assertIn("psd-deficient-6-1", {i["name"] for i in self.index["instances"]})
        out = self.folder / "out"
        self.assertEqual(self.export(out, *ENTRIES[:2], options=["--quick"]).returncode, 0)
        index = parse_json((out / "index.json").read_text())
        self.assertEqual(([i["name"] for i in index["instances"]], index["quick"]), (["psd-5-1", "psd-5-2"], True))


class TestPackedCollection(SharedCollection):
    OPTIONS = ("--gzip",)
    ENTRIES = ENTRIES[:2] + ENTRIES[6:10] + ENTRIES[-1:]

    def test_answers_are_granted(self):
        self.assertGreater(len(self.verify_answers()), 5)
        for instance in self.index["instances"]:
            for file in instance["files"]:
                self.assertEqual(file["path"].endswith(".gz"), file["format"] != "fclib")

    def test_other_forms_are_problems(self):
        for form in ("mof", "nl"):
            path = self.file_of(self.index["instances"][0], form)
            self.assertEqual(self.convert(path)["kind"], "lcp")


class TestQuickCollection(SharedCollection):
    """Perp's own recipe: whatever becomes of families and scenes, its answers hold."""
    ENTRIES, OPTIONS = None, ("--quick",)

    def test_answers_are_granted(self):
        self.assert_valid(self.index, "collection")
        self.assertGreater(len(self.verify_answers()), 200)
        self.assertEqual({i["origin"]["type"] for i in self.index["instances"]}, {"family", "scene", "file"})

    def test_only_what_has_no_solution_is_open(self):
        self.assertEqual({i["known"] for i in self.labelled("open")}, {"no_solution"})
        self.assertFalse(any(i["by_clock"] for i in self.index["instances"]))

    def test_mof_files_at_the_answers(self):
        judged = 0
        for instance in self.labelled("solved"):
            if self.file_of(instance, "mof") and instance["n"] <= 60:
                with self.subTest(instance["name"]):
                    mof, z = ModelAtPoint(self.file_of(instance, "mof").read_text()), self.load(instance, "answer")["z"]
                    self.assertAlmostEqual(residual_of(mof, z), instance["residual"], delta=1e-9)
                    judged += 1
        self.assertGreater(judged, 90)


class TestRepeat(CollectionTestCase):
    def test_bit_for_bit(self):
        """Elsewhere, later (files know times to the second) and with other names on the way."""
        first, second = self.folder / "a", self.folder / "far" / "away" / "b"
        self.assertEqual(self.export(first, *ENTRIES).returncode, 0)
        time.sleep(1.1)
        path = self.write("elsewhere/other.json", recipe(*ENTRIES))
        self.succeed("export", "--collection", "far/away/b", "--recipe", path, cwd=self.folder)
        one, other = files_below(first), files_below(second)
        self.assertEqual(set(one), set(other))
        self.assertEqual([name for name in one if one[name] != other[name]], [])
        self.assertGreater(len(one), 200)


class TestFolders(CollectionTestCase):
    def test_an_empty_folder_will_do(self):
        (self.folder / "out").mkdir()
        self.assertEqual(self.export(self.folder / "out", ENTRIES[0]).returncode, 0)
        self.assertTrue((self.folder / "out" / "index.json").exists())

    def test_what_is_there_stays(self):
        out = self.folder / "out"
        self.write("out/thesis.txt", "mine")
        for options in ((), ("--overwrite",)):
            self.refuse(self.export(out, ENTRIES[0], options=options), "thesis.txt", "not part of a collection")
        self.assertEqual(files_below(out), {"thesis.txt": b"mine"})
        self.refuse(self.export(self.write("file", "mine"), ENTRIES[0]), "file")

    def test_a_collection_is_replaced_only_when_asked(self):
        out = self.folder / "out"
        self.assertEqual(self.export(out, ENTRIES[0]).returncode, 0)
        before = files_below(out)
        self.refuse(self.export(out, ENTRIES[5]), "--overwrite")
        self.assertEqual(files_below(out), before)
        self.assertEqual(self.export(out, ENTRIES[5], options=["--overwrite"]).returncode, 0)
        self.assertEqual([i["name"] for i in parse_json((out / "index.json").read_text())["instances"]], ["box-qp-6-1"])
        self.assertFalse((out / "problems" / "lcp").exists())
        self.assertEqual([path.name for path in out.iterdir() if path.name.startswith(".")], [])

    def test_things_put_into_a_collection_are_not_lost(self):
        out = self.folder / "out"
        self.assertEqual(self.export(out, ENTRIES[0]).returncode, 0)
        for name in ("notes.txt", "problems/lcp/mine.json", "results"):
            place = out / name
            if name == "results":
                place.mkdir()
            else:
                place.write_text("mine")
            self.refuse(self.export(out, ENTRIES[0], options=["--overwrite"]), name)
            self.assertTrue(place.exists())
            if place.is_dir():
                place.rmdir()
            else:
                place.unlink()
        (out / "index.json").unlink()
        self.refuse(self.export(out, ENTRIES[0], options=["--overwrite"]), "not part of a collection")

    def test_what_a_killed_export_left_is_named(self):
        self.write("out/.perp-collection-1/index.csv", "half")
        self.refuse(self.export(self.folder / "out", ENTRIES[0]), ".perp-collection-1", "killed")

    def test_full_disk(self):
        """Nothing stays: neither of the new collection nor of the folders on the way."""
        limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))}
        path = self.write("recipe.json", recipe(ENTRIES[0], {"family": "psd", "sizes": [40], "seeds": [1, 1]}))
        done = self.perp("export", "--collection", self.folder / "new" / "out", "--recipe", path, **limit)
        self.refuse(done, "cannot be written (File too large)")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["recipe.json"])
        out = self.folder / "out"
        self.assertEqual(self.export(out, ENTRIES[0]).returncode, 0)
        before = files_below(out)
        path = self.write("recipe.json", recipe(ENTRIES[0], {"family": "psd", "sizes": [40], "seeds": [1, 1]}))
        self.refuse(self.perp("export", "--collection", out, "--recipe", path, "--overwrite", **limit), "File too large")
        self.assertEqual(files_below(out), before)


class TestInterrupted(CollectionTestCase):
    def interrupt(self, out, *options):
        """A signal once the first problems are written; what perp then says."""
        path = self.write("long.json", recipe({"family": "psd", "sizes": [60], "seeds": [1, 5000]}))
        process = subprocess.Popen([PERP, "export", "--collection", out, "--recipe", path, *options], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        try:
            end = time.monotonic() + 60
            while not list(out.glob(".perp-collection-*/problems/lcp/*.json")):
                self.assertLess(time.monotonic(), end)
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
        finally:
            process.kill()
            process.wait()
        self.assertEqual((process.returncode, output), (-signal.SIGINT, b""))
        self.assertEqual(errors.decode(), f"perp: interrupted; {out} is as it was\n")

    def test_while_scenes_are_simulated(self):
        """Before the first problem is there, too."""
        path = self.write("long.json", recipe({"scene": "box-stack", "steps": [1, 10000]}))
        out = self.folder / "out"
        process = subprocess.Popen([PERP, "export", "--collection", out, "--recipe", path], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        try:
            end = time.monotonic() + 60
            while not out.exists():
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            errors = process.communicate(timeout=60)[1]
        finally:
            process.kill()
            process.wait()
        self.assertEqual((process.returncode, errors.decode()), (-signal.SIGTERM, f"perp: interrupted; {out} is as it was\n"))
        self.assertFalse(out.exists())

    def test_nothing_is_kept(self):
        self.interrupt(self.folder / "out")
        self.assertFalse((self.folder / "out").exists())

    def test_the_old_collection_stays(self):
        out = self.folder / "out"
        self.assertEqual(self.export(out, ENTRIES[0]).returncode, 0)
        before = files_below(out)
        self.interrupt(out, "--overwrite")
        self.assertEqual(files_below(out), before)


@with_cases({
    "name_beside": (["psd", "--collection", "OUT"], "NAME"),
    "size_beside": (["--collection", "OUT", "--size", "3"], "--size"),
    "output_beside": (["--collection", "OUT", "-o", "OUT"], "--output"),
    "format_beside": (["--collection", "OUT", "--format", "nl"], "--format"),
    "quick_without": (["psd", "-o", "OUT", "--quick"], "--quick"),
    "recipe_without": (["psd", "-o", "OUT", "--recipe", "x"], "--recipe"),
    "overwrite_without": (["psd", "-o", "OUT", "--overwrite"], "--overwrite"),
    "nothing": ([], "NAME"),
    "no_such_recipe": (["--collection", "OUT", "--recipe", "none.json"], "none.json"),
    "no_suite": (["--collection", "OUT", "--recipe", str(ROOT / "problems/collections/siconos/lcp/lcp_mmc.json")], "lcp_mmc"),
})
class TestBadUsage(CollectionTestCase):
    def check(self, arguments, word):
        out = self.folder / "out"
        self.refuse(self.perp("export", *(str(out) if a == "OUT" else a for a in arguments)), word)
        self.assertFalse(out.exists())


FILES = ["collections/siconos/lcp/lcp_CPS_1.json"]


@with_cases({
    "no_licence": ([{"files": FILES}], ["lcp_CPS_1", "licence"]),
    "no_licence_text": ([{"files": FILES, "licence": "MIT"}], ["lcp_CPS_1", "licence_file"]),
    "licence_missing": ([{"files": FILES, "licence": "MIT", "licence_file": "NONE"}], ["licence_file", "NONE"]),
    "licence_elsewhere": ([{"files": FILES, "licence": "MIT", "licence_file": "../../LICENSE"}], ["licence_file"]),
    "licence_a_number": ([{"files": FILES, "licence": 5}], ["licence", "string"]),
    "twice": ([ENTRIES[0], ENTRIES[0]], ["psd-5-1", "two instances"]),
    "nothing": ([], ["no instance"]),
    "unknown_family": ([{"family": "ladder", "sizes": [1], "seeds": [1, 1]}], ["family", "ladder"]),
    "unknown_field": ([{**ENTRIES[0], "colour": 1}], ["colour"]),
})
class TestBadRecipes(CollectionTestCase):
    def check(self, entries, words):
        out = self.folder / "new" / "out"
        self.refuse(self.export(out, *entries), "recipe.json", *words)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["recipe.json"])


class TestOwnRecipe(CollectionTestCase):
    def test_it_is_a_suite_with_all_families_and_scenes(self):
        text = parse_json(RECIPE.read_text())
        self.assert_valid(text, "suite")
        for topic, member in (("families", "family"), ("scenes", "scene")):
            listed = {item["name"] for item in parse_json(self.succeed("list", topic, "--json"))[topic]}
            for tier in ("quick", "full"):
                named = {e[member] for e in text["entries"] if member in e and e.get("tier", "quick") in ("quick", tier)}
                self.assertEqual(listed - named, set(), tier)
        for entry in text["entries"]:
            if "files" in entry:
                self.assertTrue({"licence", "licence_file", "origin"} <= set(entry))

    def test_formulations_of_a_scene_are_all_there(self):
        """Those that take it and pose problems, for some scenes that are quick to ask."""
        entries = [e for e in parse_json(RECIPE.read_text())["entries"] if "scene" in e]
        formulations = [f["name"] for f in parse_json(self.succeed("list", "formulations", "--json"))["formulations"]]
        for scene in ("sphere-collision", "disc", "sliding-cube", "arm-friction", "two-ellipsoids"):
            named = {e["formulation"] for e in entries if e["scene"] == scene}
            for f in formulations:
                self.perp("export", scene, "--formulation", f, "--steps", "1:40", "-o", self.folder / scene / f)
            taken = {f for f in formulations if list((self.folder / scene / f).glob("*.json"))}
            self.assertEqual(named, taken, scene)


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)


class TestPage(SharedCollection):
    """The Python of docs/how-to/collection.md runs as it stands, in the folder of a collection."""
    ENTRIES = [{"family": "psd", "sizes": [5], "seeds": [1, 3]}, {"family": "psd", "sizes": [20], "seeds": [1, 1]}, *ENTRIES[2:4]]

    def run_block(self, code):
        done = subprocess.run([sys.executable, "-c", code], cwd=self.root, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_loading_needs_the_standard_library_only(self):
        plain = [code for code in blocks("python") if "numpy" not in code]
        self.assertEqual(len(plain), 1)
        printed = self.run_block(plain[0])
        self.assertIn("psd-5-1", printed)

    @unittest.skipUnless(all(importlib.util.find_spec(name) for name in ("numpy", "scipy")), "numpy and scipy are not installed")
    def test_solving_an_lcp(self):
        [code] = [code for code in blocks("python") if "numpy" in code]
        printed = self.run_block(code)
        for name in ("psd-5-1", "psd-5-2", "psd-5-3", "psd-20-1"):
            self.assertRegex(printed, rf"(?m)^{name} .*solved")

    def test_shell_lines_name_what_there_is(self):
        for block in blocks("sh"):
            for line in block.splitlines():
                self.assertNotRegex(line, r"--(?!collection|quick|gzip|recipe|overwrite|solvers|strict|tolerance|json|ignore-missing)\w")


if __name__ == "__main__":
    unittest.main()
