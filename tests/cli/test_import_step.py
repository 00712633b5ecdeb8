"""perp import-step (docs/how-to/import-step.md) with a made-up engine: what is written, judged, told, refused. tests/peers has the engines."""
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import PERP, CliTestCase, make_problem, parse_json  # noqa: E402

ENGINE = """#!{python}
import json, sys
STEPS = json.loads({steps!r})
sys.stderr.write({said!r})
for line in sys.stdin:
    if not STEPS:
        sys.exit({code})
    print(json.dumps(STEPS.pop(0)) if {whole} else "no JSON", flush=True)
    {then}
"""


def step(number, z=(1, -0.5, 0), **changes):
    contact = [{"name": "foot/floor 0", "body_a": "foot", "body_b": "floor", "normal": [0, 0, 1], "gap": 0}]
    problem = make_problem("friction_contact", name="a step", contacts=contact)
    return {"format": "perp-engine-step", "version": 1, "engine": "made up 1.0", "model": "walker", "step": number, "time": 0.01 * number, "h": 0.01,
            "problems": [{"law": "coulomb", "z": list(z), "problem": problem}], "refused": [{"law": "own", "reason": "nobody knows it"}]} | changes


class TestImportStep(CliTestCase):
    def setUp(self):
        super().setUp()
        self.alone = self.folder / "bin" / "perp"
        self.alone.parent.mkdir()
        shutil.copy(PERP, self.alone)
        self.model = self.write("model.xml", "<mujoco/>")
        self.out = self.folder / "out"

    def install(self, *steps, said="", code=0, whole=True, then="pass", name="perp-step-mujoco"):
        program = self.alone.parent / name
        program.write_text(ENGINE.format(python=sys.executable, steps=json.dumps(steps), said=said, code=code, whole=whole, then=then))
        program.chmod(0o755)

    def run_import(self, *arguments, engine="mujoco", model=None, code=0):
        done = subprocess.run([self.alone, "import-step", engine, str(model or self.model), *arguments, "-o", str(self.out)], capture_output=True,
                              text=True, timeout=60, check=False, env=os.environ | {"PERP_DATA": os.environ.get("PERP_DATA", "")})
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def expect_refusal(self, words, *arguments, **options):
        done = self.run_import(*arguments, code=2, **options)
        self.assertEqual((done.stdout, len(done.stderr.splitlines())), ("", 1), done.stderr)
        self.assertIn(words, done.stderr)

    def test_files_and_verdicts(self):
        self.install(step(1), step(3, z=(2, 0, 0)))
        done = self.run_import("--steps", "2")
        self.assertIn("made up 1.0, walker: steps 1 to 3 of 0.01 s", done.stdout)
        self.assertRegex(done.stdout, r"made up 1.0 +1 accepted at 1e-08")
        self.assertRegex(done.stdout, r"auto +2 accepted")
        self.assertIn("own: no problem; nobody knows it", done.stdout)
        self.assertIn("missed most", done.stdout)
        self.assertIn("foot/floor 0", done.stdout)
        self.assertEqual(sorted(p.name for p in self.out.iterdir()),
                         [f"walker-00000{k}-coulomb.{end}" for k in (1, 3) for end in ("json", "mujoco.json")])
        problem, answer = self.out / "walker-000001-coulomb.json", self.out / "walker-000001-coulomb.mujoco.json"
        self.assert_valid(json.loads(problem.read_text()), "problem")
        self.assertEqual(self.perp("verify", problem, answer).returncode, 0)
        self.assertEqual(self.perp("verify", self.out / "walker-000003-coulomb.json", self.out / "walker-000003-coulomb.mujoco.json").returncode, 1)
        self.assertEqual(parse_json(self.perp("solve", problem, "--start", answer, "--json").stdout)["start"], "given")

    def test_laws_are_checked_before_the_engine_starts(self):
        self.install(step(1))
        self.expect_refusal('--laws: "x" is not coulomb or own', "--laws", "coulomb,x")
        self.expect_refusal("empty part", "--laws", "coulomb,")
        self.assertFalse(self.out.exists())

    def test_an_engine_that_refuses_leaves_no_folder(self):
        self.install(said="no such model", code=2)
        self.expect_refusal("no such model")
        self.assertFalse(self.out.exists())

    def test_the_document(self):
        self.install(step(1), step(2, z=(2, 0, 0)))
        document = parse_json(self.run_import("--steps", "2", "--json").stdout)
        self.assertEqual([s["engine"]["solved"] for s in document["steps"]], [True, False])
        self.assertEqual([s["perp"]["status"] for s in document["steps"]], ["solved", "solved"])
        worst = document["worst"]["contacts"][0]
        self.assertTrue(document["worst"]["file"].endswith("walker-000002-coulomb.json"))
        # u = W r + q with W = 1 and q = (-1, 2, 0)
        self.assertEqual((worst["engine"]["normal_velocity"], worst["engine"]["slip"], worst["engine"]["normal_impulse"]), (1, 2, 2))
        self.assertAlmostEqual(worst["perp"]["normal_impulse"], 1, places=7)
        self.assertAlmostEqual(worst["perp"]["tangential_impulse"], 0.5, places=7)

    def test_names_do_not_leave_the_folder(self):
        self.install(step(1, model="../../up", problems=[step(1)["problems"][0] | {"law": "a/../b"}]))
        self.run_import()
        self.assertEqual(len(list(self.out.iterdir())), 2)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["bin", "model.xml", "out"])

    def test_a_solver_that_fails(self):
        self.install(step(1))
        done = self.run_import("--solver", "multigrid", code=1)  # it does not take friction
        self.assertRegex(done.stdout, r"multigrid +0 accepted")

    def test_fewer_steps(self):
        self.install(step(1))
        self.assertIn("1 of 5 steps: no more have contacts", self.run_import("--steps", "5").stderr)
        self.install()
        self.expect_refusal("no step has a contact or a limit", "--steps", "5")

    def test_the_engine_refuses(self):
        self.install(said="mujoco: no such mesh\n", code=2)
        self.expect_refusal("mujoco: no such mesh")

    def test_the_engine_dies(self):
        self.install(step(1), then="import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
        done = self.run_import("--steps", "3", code=2)
        self.assertIn("the engine's program was killed", done.stderr)

    def test_no_json(self):
        self.install(step(1), whole=False)
        self.expect_refusal("mujoco: line 1")

    def test_broken_steps(self):
        for words, changes in (("field \"h\"", {"h": 0}), ("field \"step\"", {"step": 0}), ("field \"problems[0].z\"", {"problems": [step(1)["problems"][0] | {"z": [1]}]}),
                               ("field \"format\"", {"format": "perp-problem"}), ("more", {"more": 1})):
            with self.subTest(words):
                self.install(step(1, **changes))
                self.expect_refusal(words)

    def test_bad_usage(self):
        self.install(step(1))
        self.expect_refusal("no such file", model=self.folder / "none.xml")
        self.expect_refusal("--param", "--param", "size=2")
        self.expect_refusal("unknown", "--solver", "nobody")
        self.expect_refusal("perp-engine-bullet is not built", engine="bullet", model="falling-boxes")
        self.install(step(1), name="perp-engine-bullet")
        self.expect_refusal("--cone", "--cone", "elliptic", engine="bullet", model="falling-boxes")
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
