"""Strategies on the command line: solve, bench, simulate, list, --explain; what is refused."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import ROOT, CliTestCase, parse_json, with_cases  # noqa: E402

MMC = ROOT / "problems/collections/siconos/lcp/lcp_mmc.json"
TWO = "first(newton-fb:patience=20, try(polish(lemke), share=.5))"


class TestUse(CliTestCase):
    def test_solve(self):
        result = parse_json(self.succeed("solve", MMC, "--solver", TWO, "--json"))
        self.assert_valid(result, "result")
        self.assertEqual((result["status"], result["solver"]), ("solved", TWO))
        self.assertEqual([step["solver"] for step in result["route"]], ["newton-fb"])

    def test_explain(self):
        text = self.succeed("solve", MMC, "--explain")
        plans = {plan["name"]: plan for plan in parse_json(self.succeed("list", "plans", "--json"))["plans"]}
        self.assertIn("plan linear-tiny", text)
        self.assertIn(plans["linear-tiny"]["solver"], text)
        result = parse_json(self.succeed("solve", MMC, "--explain", "--json"))
        self.assert_valid(result, "result")
        self.assertEqual(result["plan"]["name"], "linear-tiny")
        # What it says is what is run.
        again = parse_json(self.succeed("solve", MMC, "--solver", result["plan"]["solver"], "--json"))
        self.assertEqual(again["z"], result["z"])

    def test_bench_takes_commas_within_parentheses(self):
        out = self.folder / "out"
        self.succeed("bench", MMC, "--solvers", f"lemke,{TWO},exec:\"cat, x\"", "-o", out, "--time-limit", "5")
        records = [parse_json(line) for line in (out / "records.jsonl").read_text().splitlines()]
        self.assertEqual([r["solver"] for r in records], ["lemke", TWO, "exec:\"cat, x\""])
        for record in records:
            self.assert_valid(record, "record")
        self.assertEqual([r["outcome"] for r in records[:2]], ["solved"] * 2)
        self.assertIn("0 runs", self.perp("bench", MMC, "--solvers", TWO, "-o", out, "--time-limit", "5", "--resume").stderr)

    def test_a_program_in_a_strategy(self):
        program = self.write("zero.py", "import json,sys\np=json.load(sys.stdin)\nprint(json.dumps({'z': [0]*p['n']}))\n")
        result = parse_json(self.succeed("solve", MMC, "--solver", f'first(exec:"python3 {program}", lemke)', "--json"))
        self.assertEqual([step["status"] for step in result["route"]], ["wrong", "solved"])

    def test_simulate(self):
        self.succeed("simulate", "box-on-ramp", "--duration", "0.1", "--solver", "first(newton-fb:patience=20, lemke)")
        for solver in ("first(magic)", "magic"):
            self.refuse("simulate", "box-on-ramp", "--duration", "0.1", "--solver", solver, word="magic")

    def refuse(self, *arguments, word):
        done = self.perp(*arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        self.assertIn(word, done.stderr)

    def route(self, solver, *settings):
        arguments = [word for setting in settings for word in ("--set", setting)]
        result = parse_json(self.perp("solve", MMC, "--solver", solver, "--max-iterations", "1", *arguments, "--json").stdout)
        self.assert_valid(result, "result")
        return [(step["solver"], set(step["settings"].split())) for step in result["route"]]

    def test_settings_reach_the_methods_that_have_them(self):
        """One iteration is too few for either method, so that the route shows both."""
        both = "first(newton-fb, lemke)"
        self.assertEqual(self.route(both, "memory=3", "ties=largest-pivot"),
                         [("newton-fb", {"memory=3"}), ("lemke", {"ties=largest-pivot"})])
        # Only newton-fb takes the word, though lemke has a setting of that name.
        self.assertEqual(self.route(both, "equilibrate=always"), [("newton-fb", {"equilibrate=always"}), ("lemke", set())])
        # What stands in the expression goes first.
        self.assertEqual(self.route("first(newton-fb:memory=5, newton-fb)", "memory=3"),
                         [("newton-fb", {"memory=5"}), ("newton-fb", {"memory=3"})])

    def test_settings_reach_the_methods_of_auto(self):
        steps = self.route("auto", "memory=3")
        self.assertTrue(any("memory=3" in settings for solver, settings in steps if solver.startswith("newton-fb")), steps)

    def test_without_reaches_into_every_auto(self):
        for solver in ("without(first(auto), part=lemke)", "without(polish(auto), part=lemke)",
                       "without(without(auto, part=newton-fb), part=lemke)"):
            steps = self.route(solver)
            self.assertTrue(steps, solver)
            self.assertFalse([s for s, _ in steps if s.startswith("lemke")], solver)
        # A strategy of several parts stays.
        self.assertEqual([s for s, _ in self.route("without(first(lemke, newton-fb), part=first)")], ["lemke", "newton-fb"])

    def test_reductions_of_a_schedule(self):
        spheres = ROOT / "problems/collections/siconos/friction/NESpheres_10_1.json"
        result = parse_json(self.perp("solve", spheres, "--solver", 'repeat(3, reduce(lemke, to="pyramid:{4*k}"))', "--json").stdout)
        names = [step["solver"] for step in result["route"]]
        self.assertEqual(len(names), 3)
        counts = [step["iterations"] for step in result["route"]]
        alone = [parse_json(self.perp("solve", spheres, "--solver", f"reduce(lemke, to=pyramid:{k})", "--json").stdout)["iterations"] for k in (4, 8, 12)]
        self.assertEqual(counts, alone)
        # On another kind it is a try like any other.
        self.succeed("solve", MMC, "--solver", "first(reduce(lemke, to=pyramid), lemke)")

    def test_settings_that_no_method_takes(self):
        for solver in (TWO, "auto", "polish(lemke)"):
            self.refuse("solve", MMC, "--solver", solver, "--set", "magic=1", word="magic")
        self.refuse("solve", MMC, "--solver", TWO, "--set", "memory=many", word="memory")

    def test_settings_without_effect(self):
        """A setting that all methods give themselves would be lost; of two values for one setting, too."""
        for solver in ("newton-fb:memory=5", "first(newton-fb:memory=5, newton-fb:memory=1, lemke)"):
            self.refuse("solve", MMC, "--solver", solver, "--set", "memory=3", word=solver)
            self.refuse("bench", MMC, "--solvers", f"lemke,{solver}", "--set", "memory=3", "-o", self.folder / "out", word=solver)
        self.refuse("solve", MMC, "--solver", "newton-fb", "--set", "memory=3", "--set", "memory=5", word="--set: memory is given twice")
        self.refuse("simulate", "box-on-ramp", "--param", "mu=1", "--param", "mu=2", word="--param: mu is given twice")

    def test_explain_of_a_named_solver(self):
        self.refuse("solve", MMC, "--solver", "lemke", "--explain", word="--explain")


class TestPages(CliTestCase):
    def test_every_strategy_is_described(self):
        page = (ROOT / "docs/reference/strategies.md").read_text()
        for strategy in parse_json(self.succeed("list", "strategies", "--json"))["strategies"]:
            self.assertIn(f"`{strategy['usage']}`", page.replace("\\|", "|"))

    def test_every_plan_is_shown_as_it_is(self):
        page = (ROOT / "docs/methods/auto.md").read_text()
        self.assertIn("```\n" + self.succeed("list", "plans") + "```", page)

    def test_the_list_of_solvers_says_what_auto_is(self):
        self.assertRegex(self.succeed("list", "solvers"), r"(?m)^  auto  +\S.*perp list plans\)$")

    def test_the_ablation_takes_every_part_away(self):
        study = parse_json((ROOT / "bench/studies/ablation.json").read_text())
        solvers = {solver for run in study["runs"] for solver in run["solvers"]}
        plans = " ".join(p["solver"] for p in parse_json(self.succeed("list", "plans", "--json"))["plans"])
        methods = [s["name"] for s in parse_json(self.succeed("list", "solvers", "--json"))["solvers"]]
        for part in [*methods, "polish", "repeat", "warm", "certify", "proximal", "islands", "eliminate"]:
            if part in plans.replace("(", " ").replace(":", " ").replace(",", " ").replace(")", " ").split():
                self.assertIn(f"without(auto, part={part})", solvers)


@with_cases({
    "open": ("first(lemke", "')'"), "empty": ("first()", "name"), "strategy": ("fist(lemke)", "fist"), "method": ("first(magic)", "magic"),
    "setting": ("lemke:magic=1", "magic"), "setting_twice": ("newton-fb:memory=1:memory=2", "memory is given twice"), "option": ("try(lemke, speed=1)", "speed"), "rest": ("first(lemke) x", "nothing more"),
    "number": ("try(lemke, share=-1)", "share"), "more_than_all": ("try(lemke, share=2)", "share"),
    "endless": ("try(lemke, cap=inf)", "number"), "part_of_one": ("try(lemke, cap=.5)", "whole"), "half_steps": ("proximal(lemke, steps=.5)", "whole"), "start": ("try(lemke, from=here)", "here"), "reduction": ("reduce(lemke, to=magic)", "reduction"),
    "part": ("without(auto)", "part"), "number_in_braces": ("try(lemke, cap={m})", "m"),
})
class TestRefused(CliTestCase):
    def check(self, solver, word):
        for arguments in (("solve", MMC, "--solver", solver),):
            done = self.perp(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
