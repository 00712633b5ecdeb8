"""perp --help and the help of every verb: exit codes, options, and examples that work as they stand."""
import os
import re
import shlex
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import PERP, ROOT, CliTestCase, lcp, with_cases  # noqa: E402

# The options that scripts may count on.
OPTIONS = {
    "list": ["--json"],
    "info": ["--json"],
    "solve": ["--from", "--q", "--lower", "--upper", "--solver", "--tolerance", "--max-iterations", "--time-limit", "--set", "--start", "--trace", "--json", "--explain"],
    "verify": ["--tolerance", "--json"],
    "export": ["--size", "--seed", "--param", "--kind", "--format", "--formulation", "--step", "--steps", "--sequence", "--gzip",
               "-o", "--collection", "--recipe", "--quick", "--overwrite"],
    "convert": ["--from", "--q", "--lower", "--upper", "--to", "--as"],
    "bench": ["--solvers", "--tolerance", "--time-limit", "--memory-limit", "--jobs", "--repeat", "--shard", "--resume", "--overwrite",
              "-o"],
    "report": ["-o", "--earlier"],
    "study": ["--quick", "--report", "--shard", "--slurm", "--parallel", "--resume", "--overwrite", "-o"],
    "compare": ["--noise", "--json"],
    "analyse": ["--solver", "--tolerance", "--plugin", "--json"],
    "why": ["--solvers", "--set", "--tolerance", "--max-iterations", "--time-limit", "--shrink", "--plugin", "--json"],
    "import-step": ["--steps", "--skip", "--every", "--laws", "--cone", "--keyframe", "--param", "--solver", "--tolerance", "--json", "-o"],
    "shrink": ["--solver", "--status", "--tolerance", "--time-limit", "--set", "--minutes", "-o"],
}
TOPICS = ["solvers", "strategies", "plans", "formulations", "compositions", "scenes", "families", "suites", "studies"]


class HelpTestCase(CliTestCase):
    def help_of(self, *verb):
        done = self.perp(*verb, "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def verbs(self):
        """The verbs that perp --help lists."""
        listed = self.help_of().split("Subcommands:\n")[1].split("\n\n")[0]
        return re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)


class TestProgram(HelpTestCase):
    def test_help_names_the_verbs(self):
        self.assertLessEqual(set(OPTIONS), set(self.verbs()))

    def test_help_explains_exit_codes(self):
        text = self.help_of().lower()
        self.assertIn("exit code", text)
        for code in ("0 ", "1 ", "2 "):
            self.assertIn(code, text[text.index("exit code"):])

    def test_short_help(self):
        self.assertEqual(self.perp("-h").stdout, self.help_of())

    def test_version(self):
        self.assertRegex(self.succeed("--version"), r"^perp \d+\.\d+\.\d+\S*\n$")

    def test_list_help_names_the_topics(self):
        for topic in TOPICS:
            self.assertIn(topic, self.help_of("list"))

    def test_convert_help_names_the_formats(self):
        for ending in (".json", ".json.gz", ".dat"):
            self.assertIn(ending, self.help_of("convert"))

    def test_every_verb_has_an_example(self):
        for verb in self.verbs():
            with self.subTest(verb):
                self.assertRegex(self.help_of(verb), rf"Examples?: perp {verb}\b")

    def test_every_verb_is_tested_here(self):
        """A new verb wants its line in OPTIONS, but for simulate, which has tests of its own."""
        self.assertEqual(set(self.verbs()) - {"simulate"}, set(OPTIONS))

    def test_the_readme_leads_to_every_verb(self):
        self.assertIn("](docs/reference/commands.md)", (ROOT / "README.md").read_text())
        page = (ROOT / "docs" / "reference" / "commands.md").read_text()
        for verb in self.verbs():
            with self.subTest(verb):
                self.assertRegex(page, rf"\bperp {verb}\b")


@with_cases({f"{verb}_{option.lstrip('-').replace('-', '_')}": (verb, option)
             for verb, options in OPTIONS.items() for option in options})
class TestOptions(HelpTestCase):
    def check(self, verb, option):
        self.assertRegex(self.help_of(verb), rf"(?m)^  ([^ ]*,)?{option}[ ,\n]")


@with_cases({verb: (verb,) for verb in OPTIONS})
class TestExamples(HelpTestCase):
    """The examples of each verb run from the repository's root; only what it reads or writes elsewhere is replaced."""

    def check(self, verb):
        examples = re.findall(r"^(?:Examples?:| *) (perp .*)", self.help_of(verb), re.MULTILINE)
        self.assertGreaterEqual(len(examples), 1)
        for example in examples:
            words = shlex.split(example)
            self.assertEqual(words[:2], ["perp", verb])
            if verb == "import-step" and not self.engine_is_there(words[3]):
                refused = self.perp(*self.in_scratch(verb, words[1:]), cwd=ROOT)
                self.assertEqual(refused.returncode, 2)
                self.assertRegex(refused.stderr, r"no such file|is not built")
                continue
            self.succeed(*self.in_scratch(verb, words[1:]), cwd=ROOT)

    @staticmethod
    def engine_is_there(model):
        """MuJoCo with its models is installed, and the program that asks it is built."""
        return os.path.isfile(model) and os.path.isfile(os.path.join(os.path.dirname(PERP), "perp-step-mujoco"))

    def in_scratch(self, verb, words):
        """The words with outputs moved to the scratch folder and inputs that the user would have put in their place."""
        outputs = [i for i, word in enumerate(words) if words[i - 1] in ("-o", "--output", "--trace", "--collection")]
        if verb == "convert":
            outputs.append(max(i for i, word in enumerate(words) if not word.startswith("-")))
        for i in outputs:
            words[i] = str(self.folder / os.path.basename(words[i]))
        if "--collection" in words:  # perp's own recipe has a test of its own
            recipe = {"format": "perp-suite", "version": 1, "name": "two", "description": "",
                      "entries": [{"family": "psd", "sizes": [3], "seeds": [1, 2]}]}
            words += ["--recipe", str(self.write("recipe.json", recipe))]
        if verb in ("bench", "study"):
            words += ["--shard", "1000000/1000000"]  # everything is read and nothing is run
        if verb == "verify":
            words[1:3] = [str(self.write("problem.json", lcp())), str(self.write("result.json", {"z": [2, 0]}))]
        if verb == "report":
            self.succeed("bench", self.write("problem.json", lcp()), "--repeat", "1", "-o", self.folder / "records")
            words[1] = str(self.folder / "records")
        if verb == "compare":
            self.succeed("bench", self.write("problem.json", lcp()), "--repeat", "1", "-o", self.folder / "records")
            words[1:3] = [str(self.folder / "records")] * 2
        return words


if __name__ == "__main__":
    unittest.main()
