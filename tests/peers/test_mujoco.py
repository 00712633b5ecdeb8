"""perp import-step with MuJoCo itself (docs/how-to/import-step.md): models that the test writes, and Debian's humanoid if it is here."""
import json
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from perp_cli import CliTestCase, parse_json  # noqa: E402

HUMANOID = Path("/usr/share/mujoco/model/humanoid/humanoid.xml")
GRAVITY, STEP, MASS = 9.81, 0.002, 2.0

# A box of 2 kg, pressed into the plane by a hair, so that all of its corners touch.
BOX = """<mujoco model="box"><option timestep="{step}" {option}/><worldbody>
<geom name="floor" type="plane" size="5 5 .1" friction="{mu} .005 .0001"/>
<body name="box" pos="0 0 {height}"><freejoint/>
<geom type="box" size=".1 .1 .1" mass="2" friction="{mu} .005 .0001" {geom}/></body></worldbody>{more}</mujoco>"""


class TestMujoco(CliTestCase):
    def import_model(self, model, *arguments, code=0):
        out = self.folder / "out"
        done = self.perp("import-step", "mujoco", model, "-o", out, "--tolerance", "1e-8", "--json", *arguments)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout[-2000:])
        return parse_json(done.stdout) if code < 2 else done.stderr

    def box(self, *arguments, height=0.0999, mu=0.5, option="", geom="", more="", code=0):
        model = self.write("box.xml", BOX.format(step=STEP, height=height, mu=mu, option=option, geom=geom, more=more))
        return self.import_model(model, *arguments, code=code)

    def problem_of(self, document, law):
        file = next(step["file"] for step in document["steps"] if step["law"] == law)
        problem = json.loads(Path(file).read_text())
        self.assert_valid(problem, "problem")
        answer = json.loads(Path(file.replace(".json", ".mujoco.json")).read_text())
        return problem, answer["z"]

    def test_a_box_at_rest(self):
        """The four corners carry its weight in the rigid problem; MuJoCo's soft ones push it up besides."""
        document = self.box("--laws", "coulomb")
        problem, z = self.problem_of(document, "coulomb")
        self.assertEqual((problem["kind"], len(problem["contacts"])), ("friction_contact", 4))
        self.assertEqual({(c["body_a"], c["body_b"]) for c in problem["contacts"]}, {("box", "world")})
        for contact in problem["contacts"]:
            self.assertEqual(contact["normal"], [0, 0, 1])
            self.assertAlmostEqual(contact["gap"], -1e-4, places=9)
        result = self.solve(Path(document["steps"][0]["file"]))
        weight = MASS * GRAVITY * STEP
        self.assertAlmostEqual(sum(result["z"][0::3]), weight, places=9)
        self.assertGreater(sum(z[0::3]), 1.0001 * weight)
        self.assertEqual(problem["q"][0::3], [-GRAVITY * STEP] * 4)

    def test_a_box_that_slides(self):
        """Its friction opposes the motion and is at its limit, by the engine and by perp."""
        more = '<keyframe><key qpos="0 0 .0999 1 0 0 0" qvel="1 0 0 0 0 0"/></keyframe>'
        document = self.box("--laws", "coulomb", "--keyframe", "0", more=more)
        problem, z = self.problem_of(document, "coulomb")
        tangents = [c["tangents"] for c in problem["contacts"]]
        along = lambda r: sum(r[3 * k + 1 + i] * tangents[k][i][0] for k in range(4) for i in range(2))
        result = self.solve(Path(document["steps"][0]["file"]))
        self.assertAlmostEqual(along(result["z"]), -0.5 * sum(result["z"][0::3]), places=8)
        self.assertLess(along(z), -0.4 * sum(z[0::3]))

    def test_the_engines_own_problem(self):
        """What MuJoCo solves itself, stated by perp, is solved by MuJoCo's answer: by pyramids and by cones, with limits, equalities and joint friction."""
        for cone, kind in (("pyramidal", "lcp"), ("elliptic", "convex_contact")):
            option = f'cone="{cone}" tolerance="0" iterations="500" solver="Newton"'
            with self.subTest(cone):
                document = self.box("--laws", "own", "--steps", "5", option=option)
                self.assertEqual([step["kind"] for step in document["steps"]], [kind] * 5)
                for step in document["steps"]:
                    self.assertLess(step["engine"]["measure"], 1e-10)
                    self.assertEqual(step["perp"]["status"], "solved")

    def test_another_answer_is_not_the_engines(self):
        """The test above could fail: the same problem with other friction is not solved by MuJoCo's answer."""
        more = '<keyframe><key qpos="0 0 .0999 1 0 0 0" qvel="1 0 0 0 0 0"/></keyframe>'
        option = 'cone="elliptic" tolerance="0" iterations="500" solver="Newton"'
        document = self.box("--laws", "own", "--keyframe", "0", option=option, more=more)
        problem, z = self.problem_of(document, "own")
        self.assertLess(document["steps"][0]["engine"]["measure"], 1e-10)
        problem["mu"] = [0.45] * 4
        done = self.perp("verify", self.write("changed.json", problem), self.write("z.json", {"z": z}), "--tolerance", "1e-4")
        self.assertEqual(done.returncode, 1, done.stdout)

    def test_friction_and_equalities_make_it_mixed(self):
        model = self.write("arm.xml", f"""<mujoco model="arm"><option timestep="{STEP}" tolerance="0" iterations="500" solver="Newton"/><worldbody>
            <geom name="floor" type="plane" size="5 5 .1"/>
            <body name="upper" pos="0 0 .5"><joint name="shoulder" axis="0 1 0" frictionloss=".3"/>
            <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/><body name="lower" pos=".3 0 0">
            <joint name="elbow" axis="0 1 0" range="-20 20" limited="true"/><geom type="capsule" fromto="0 0 0 .3 0 -.3" size=".03"/></body></body>
            </worldbody><equality><joint joint1="shoulder" polycoef="0 1 0 0 0" active="false"/></equality></mujoco>""")
        document = self.import_model(model, "--steps", "20", "--skip", "20")
        own = [step for step in document["steps"] if step["law"] == "own"]
        self.assertEqual((len(own), {step["kind"] for step in own}), (20, {"mlcp"}))
        self.assertLess(max(step["engine"]["measure"] for step in own), 1e-10)
        self.assertEqual([r["law"] for r in document["refused"]], ["coulomb"])
        self.assertIn("neither a contact nor a limit", document["refused"][0]["reason"])

    def test_what_is_refused(self):
        document = self.box(geom='condim="4"')
        self.assertEqual([(r["law"], "condim 4" in r["reason"]) for r in document["refused"]], [("coulomb", True)])
        broken = self.write("broken.xml", "<mujoco><worldbody><geom type='nothing'/></worldbody></mujoco>")
        for words, model, arguments in (("broken.xml", broken, []), ("no such file", self.folder / "none.xml", []),
                                        ("keyframes", self.folder / "box.xml", ["--keyframe", "3"])):
            error = self.import_model(model, *arguments, code=2)
            self.assertEqual(len(error.splitlines()), 1, error)
            self.assertIn(words, error)

    @unittest.skipUnless(HUMANOID.exists(), "needs Debian's libmujoco-samples")
    def test_a_humanoid_falls(self):
        """100 of its steps: instances that are valid, solved and verified, MuJoCo's answer judged beside."""
        document = self.import_model(HUMANOID, "--steps", "100")
        steps = {law: [s for s in document["steps"] if s["law"] == law] for law in ("coulomb", "own")}
        for law, judged in steps.items():
            self.assertEqual(len(judged), 100, law)
            self.assertEqual({s["perp"]["status"] for s in judged}, {"solved"}, law)
        # Its own problem it solves; rigid Coulomb friction it misses.
        self.assertLess(max(s["engine"]["measure"] for s in steps["own"]), 1e-10)
        self.assertGreater(max(s["engine"]["measure"] for s in steps["coulomb"]), 1e-3)
        for step in document["steps"][:10]:
            self.assert_valid(json.loads(Path(step["file"]).read_text()), "problem")
            self.assertEqual(self.perp("verify", step["file"], step["file"].replace(".json", ".mujoco.json")).returncode, 0 if step["engine"]["solved"] else 1)


if __name__ == "__main__":
    unittest.main()
