"""The fuzzers find what they are for, and nothing where there is nothing; the corpora are whole."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import fuzzers  # noqa: E402

LARGEST_FILE, LARGEST_CORPUS = 64 << 10, 512 << 10


def has_fuzzer():
    """Whether clang is here, with libFuzzer."""
    if not shutil.which("clang++"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "x.cpp"
        source.write_text('extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n')
        return subprocess.run(["clang++", "-fsanitize=fuzzer", source, "-o", f"{folder}/x"], capture_output=True).returncode == 0


class Corpora(unittest.TestCase):
    def test_every_reader_has_one(self):
        program = (HERE / "readers.cpp").read_text()
        for reader in fuzzers.READERS:
            self.assertIn(f'{{"{reader}", take_', program)
            files = list((fuzzers.CORPORA / reader).iterdir())
            self.assertGreater(len(files), 1, reader)
            self.assertLess(max(p.stat().st_size for p in files), LARGEST_FILE, reader)
            self.assertLess(sum(p.stat().st_size for p in files), LARGEST_CORPUS, reader)
        self.assertEqual({p.name for p in fuzzers.CORPORA.iterdir()}, set(fuzzers.READERS))

    def test_sources_of_readers_are_there(self):
        for reader, (patterns, _, sources) in fuzzers.READERS.items():
            for source in sources:
                self.assertTrue((fuzzers.ROOT / source).is_file(), source)
            for pattern in patterns:
                self.assertTrue(list(fuzzers.ROOT.glob(pattern)), pattern)


@unittest.skipUnless(has_fuzzer(), "needs clang with libFuzzer, which tests/fuzz/run installs")
class PlantedFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.scratch.name)
        fuzzers.BUILD, fuzzers.PROGRAM, fuzzers.CORPORA = folder, folder / "planted", folder / "given"
        fuzzers.SECONDS = 5
        subprocess.run(["clang++", "-std=c++20", "-O1", "-g1", "-fsanitize=fuzzer,address,undefined", HERE / "planted.cpp", "-o", fuzzers.PROGRAM], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def attack(self, reader, minutes):
        fuzzers.READERS[reader] = ([], 64, [])
        self.addCleanup(fuzzers.READERS.pop, reader)
        (fuzzers.CORPORA / reader).mkdir(parents=True)
        (fuzzers.CORPORA / reader / "list").write_text("3 1 2 3")
        line, good = fuzzers.fuzz(reader, minutes, 1)
        return line, good, list((fuzzers.BUILD / "findings" / reader).iterdir())

    def test_each_is_found(self):
        for reader, words in (("trusts-a-count", "out-of-memory"), ("reads-beyond", "heap-buffer-overflow"), ("throws", "what no reader should throw"),
                              ("hangs", "timeout")):
            with self.subTest(reader=reader):
                line, good, inputs = self.attack(reader, 2)
                self.assertFalse(good, line)
                self.assertIn(words, line)
                self.assertEqual(len(inputs), 1)

    def test_nothing_is_found_where_nothing_is(self):
        line, good, inputs = self.attack("sound", 0.1)
        self.assertTrue(good, line)
        self.assertIn("nothing found", line)
        self.assertEqual(inputs, [])


if __name__ == "__main__":
    unittest.main()
