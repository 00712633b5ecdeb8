"""Problems from arrays and files: what goes in comes out, and what is wrong is told."""
import copy
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import scipy.sparse

import perp

M = np.array([[2.0, 1.0], [1.0, 2.0]])
Q = np.array([-4.0, 1.0])


def one_of_each_kind():
    eye = np.eye(3)
    return [
        perp.lcp(M, Q, name="two", start=[1, 0]),
        perp.mlcp(scipy.sparse.csc_matrix(M), Q, [0, -np.inf], [np.inf, 3]),
        perp.box_qp(M, Q, -1, [5, np.inf]),
        perp.conic_qp(M, Q, -eye[:, :2], np.zeros(3), [("nonnegative", 1), ("second_order", 2)]),
        perp.friction_contact([-1, 0.5, 0], [0.5], 2 * eye),
        perp.friction_contact([-1, 0.5, 0], [0.5], J=eye, M=scipy.sparse.csc_matrix(2 * eye), compliance=[0.1, 0, 0]),
        perp.convex_contact(eye, eye, np.ones(3), np.zeros(3), [0.5], [0, 0, -1.0]),
    ]


class Arrays(unittest.TestCase):
    def test_what_goes_in_comes_out(self):
        for problem in one_of_each_kind():
            with self.subTest(problem.kind):
                again = perp.from_arrays(perp.to_arrays(problem))
                self.assertEqual(again.to_json(), problem.to_json())
                self.assertEqual(perp.Problem.from_json(problem.to_json()).to_json(), problem.to_json())
                self.assertEqual(pickle.loads(pickle.dumps(problem)).to_json(), problem.to_json())
                self.assertEqual(copy.copy(problem).to_json(), problem.to_json())
        lcp = one_of_each_kind()[0]
        np.testing.assert_array_equal(lcp["M"], M)
        np.testing.assert_array_equal(lcp["q"], Q)
        np.testing.assert_array_equal(lcp.F([1, 2]), M @ [1, 2] + Q)
        self.assertEqual((lcp.kind, lcp.size, lcp.name, list(lcp.start)), ("lcp", 2, "two", [1, 0]))

    def test_layouts_of_numpy_and_scipy_are_the_same_matrix(self):
        wide = np.arange(12.0).reshape(3, 4)
        wanted = perp.lcp(np.ascontiguousarray(wide[:, :3]), np.zeros(3)).to_json()
        for given in (np.asfortranarray(wide[:, :3]), wide[:, :3], wide[:, :3].tolist(), wide[:, :3].astype("float32"),
                      wide[:, :3].astype(int)):
            self.assertEqual(perp.lcp(given, np.zeros(3)).to_json(), wanted)
        sparse = scipy.sparse.coo_matrix(([1.0, 2.0, 3.0, 4.0], ([1, 0, 0, 1], [0, 0, 1, 0])), shape=(2, 2))
        dense = np.array([[2.0, 3.0], [5.0, 0.0]])  # repeated entries add
        backwards = scipy.sparse.csc_matrix(([5.0, 2.0, 3.0], [1, 0, 0], [0, 2, 3]), shape=(2, 2))
        long = scipy.sparse.csc_matrix(dense)
        long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
        for given in (sparse, sparse.tocsr(), sparse.tolil(), backwards, long, scipy.sparse.csc_array(dense)):
            np.testing.assert_array_equal(perp.lcp(given, [0, 0])["M"].toarray(), dense)

    def test_views_show_the_memory_and_cannot_be_written(self):
        sparse = scipy.sparse.random(50, 50, 0.1, "csc", random_state=1)
        problem = perp.lcp(sparse, np.zeros(50))
        view = problem["M"]
        self.assertTrue(np.shares_memory(view.data, sparse.data))
        self.assertTrue(np.shares_memory(view.indices, sparse.indices))
        for array in (view.data, problem["q"], perp.lcp(M, Q)["M"]):
            with self.assertRaises(ValueError):
                array[0] = 1.0
        data = perp.lcp(M, Q)["q"]  # the problem lives on with it
        np.testing.assert_array_equal(data, Q)

    def test_one_number_for_all_bounds(self):
        for three in (3, 3.0, np.int64(3), np.float32(3), np.array(3)):
            self.assertEqual(list(perp.mlcp(M, Q, 0, three)["upper"]), [3.0, 3.0])

    def test_what_is_wrong_is_told(self):
        wrong = [
            (lambda: perp.lcp(M, [1, 2, 3]), "M"),
            (lambda: perp.lcp(M[0], Q), "M: 1 dimensions"),
            (lambda: perp.lcp(M, M), "q: 2 dimensions"),
            (lambda: perp.lcp([["a", "b"], ["c", "d"]], Q), "M: no real numbers"),
            (lambda: perp.lcp([[1, 2], [3]], Q), "M: "),
            (lambda: perp.lcp(M * 1j, Q), "M: no real numbers"),
            (lambda: perp.lcp(scipy.sparse.csc_matrix(M * 1j), Q), "M: "),
            (lambda: perp.lcp(M, ["1", "2"]), "q: no real numbers"),
            (lambda: perp.lcp(M, [np.nan, 0]), "q"),
            (lambda: perp.lcp(scipy.sparse.csc_matrix([[np.inf, 0], [0, 1]]), Q), "M"),
            (lambda: perp.mlcp(M, Q, [0, 2], [1, 1]), "lower"),
            (lambda: perp.conic_qp(M, Q, M, Q, [("round", 2)]), "cones"),
            (lambda: perp.conic_qp(M, Q, M, Q, [("zero", 2.5)]), "cones: ('zero', 2.5) is not a pair"),
            (lambda: perp.conic_qp(M, Q, M, Q, ["ab"]), "cones: 'ab' is not a pair"),
            (lambda: perp.lcp(M, np.ma.masked_array(Q, [True, False])), "q: a masked array"),
            (lambda: perp.mlcp(M, Q, "0", 1), "lower: no real numbers but text"),
            (lambda: perp.box_qp([[1, 2], [0, 1]], Q), "H"),
            (lambda: perp.friction_contact([0, 0, 0], [-1], np.eye(3)), "mu"),
            (lambda: perp.from_arrays({"M": M}), "make no kind"),
            (lambda: perp.from_arrays({"M": M, "q": Q, "x": 1}), "x: is nothing of lcp"),
            (lambda: perp.generate("no-such-family"), "no-such-family"),
            (lambda: perp.generate("contact-stack", 3, no_such=1), "no_such"),
            (lambda: perp.Problem.from_json('{"format": "perp-problem"'), "text"),
        ]
        for call, text in wrong:
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(text, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
        for name in ("\ud800", b"\xff"):
            with self.assertRaises((ValueError, TypeError)):
                perp.lcp(M, Q, name=name)
            with self.assertRaisesRegex((ValueError, TypeError), r"variables\[1\]: is no "):
                perp.lcp(M, Q, variables=["a", name])
        for variables in ("ab", b"ab"):
            with self.assertRaisesRegex(TypeError, "variables: is one text"):
                perp.lcp(M, Q, variables=variables)
        with self.assertRaisesRegex(TypeError, r"variables\[0\]: is no string but of type int"):
            perp.lcp(M, Q, variables=[1, 2])
        self.assertEqual(perp.lcp(M, Q, name="é", variables=np.array(["a", "β"])).variables, ["a", "β"])
        indices = scipy.sparse.csc_matrix(M)
        indices.indices[0] = 7
        with self.assertRaises(ValueError):
            perp.lcp(indices, Q)


class Memory(unittest.TestCase):
    def test_a_sparse_matrix_of_a_million_unknowns_is_not_copied(self):
        """Peak memory of a process that builds and verifies: it grows by vectors, not by the matrix."""
        code = """
import numpy as np, resource, scipy.sparse, sys, perp
n, per_column = 10**6, 24
rows = (np.arange(n, dtype=np.int64)[:, None] + np.arange(per_column) * 7) % n
rows.sort(axis=1)
matrix = scipy.sparse.csc_matrix((np.full(n * per_column, 0.5), rows.astype(np.int32).ravel(),
                                  np.arange(0, n * per_column + 1, per_column, dtype=np.int32)), shape=(n, n))
assert matrix.has_canonical_format
q, z = np.full(n, 1.0), np.zeros(n)
del rows
matrix_bytes = matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
def now():
    return int(open('/proc/self/statm').read().split()[1]) * 4096
# What was freed may be used again unseen: so the peak begins anew here.
open('/proc/self/clear_refs', 'w').write('5')
def peak():
    return int([l for l in open('/proc/self/status') if l.startswith('VmHWM')][0].split()[1]) * 1024
before = now()
problem = perp.lcp(matrix, q)
built = peak() - before
verdict = perp.verify(problem, z)
verified = peak() - before
assert verdict.solved and verdict.measure == 0.0
assert np.shares_memory(problem['M'].data, matrix.data)
perp.solve(problem, 'pgs', max_iterations=1)   # solvers copy: the measure can tell
solved = peak() - before
print(matrix_bytes, 8 * n, built, verified, solved)
"""
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        matrix, vector, built, verified, solved = map(int, ran.stdout.split())
        self.assertLess(built, 3 * vector)           # q
        self.assertLess(verified, 0.7 * matrix)      # z, F and six sums a row
        self.assertGreater(solved, verified + 0.9 * matrix)


class Files(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_numpy_and_matlab(self):
        for number, problem in enumerate(one_of_each_kind()):
            for ending in ("npz", "mat", "json"):
                with self.subTest(f"{problem.kind} {ending}"):
                    path = self.folder / f"{number}.{ending}"
                    self.assertEqual(perp.write(problem, path), [str(path)])
                    self.assertEqual(perp.read(path).to_json(), problem.to_json())
        self.assertEqual(list(self.folder.glob("*.tmp*")), [])

    def test_broken_files_are_told_in_one_line(self):
        (self.folder / "broken.npz").write_bytes(b"PK\x03\x04nothing")
        (self.folder / "broken.mat").write_bytes(b"\0" * 300)
        (self.folder / "broken.json").write_text("{")
        np.savez(self.folder / "object.npz", M=np.array([{}], dtype=object), q=Q)
        np.savez(self.folder / "part.npz", **{"M.data": Q, "q": Q})
        np.savez(self.folder / "other.npz", a=M)
        for name in ("broken.npz", "broken.mat", "broken.json", "object.npz", "part.npz", "other.npz", "missing.npz",
                     "missing.mat", "missing.json"):
            with self.subTest(name), self.assertRaises(perp.InputError) as caught:
                perp.read(self.folder / name)
            self.assertIn(name, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
        with self.assertRaises(perp.InputError):
            perp.write(perp.lcp(M, Q), self.folder / "no" / "such.npz")

    def test_export_to_many_formats(self):
        problems = perp.scene_problems(perp.scene("box-stack", rows=2), last=3)
        self.assertGreaterEqual(len(problems), 3)
        for form in ("perp", "mof", "nl", "mtx", "npz", "mat"):
            with self.subTest(form):
                written = perp.export(problems, self.folder / form, form)
                self.assertEqual(len(set(written)), len(written))
                self.assertTrue(all(pathlib.Path(path).is_file() for path in written))
        named = [perp.lcp([[1.0]], [q], name=name) for q, name in ((-1, "x-3"), (-2, "x"), (-3, "x"))]
        self.assertEqual([perp.read(path)["q"][0] for path in perp.export(named, self.folder / "named")], [-1, -2, -3])
        again = perp.read(sorted((self.folder / "nl").glob("*.nl"))[0])
        self.assertEqual(again.size, problems[0].size)
        with self.assertRaises(ValueError):
            perp.export(problems, self.folder, "tape")

    def test_sequences_and_instances(self):
        names = {item["name"] for item in perp.suites()}
        self.assertIn("contact-lcp", names)
        instances = perp.instances("qp", quick=True)
        self.assertEqual(instances[0].suite, "qp")
        self.assertGreater(instances[0].load().size, 0)
        with self.assertRaises(ValueError):
            perp.instances("no-such-suite")


class TestArraysInFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_damaged_sparse_matrices_are_refused(self):
        """scipy does not look at them, and reads beyond the arrays."""
        good = {"data": [1.0, 2.0, 3.0], "indices": [0, 1, 1], "indptr": [0, 2, 3], "shape": [2, 2]}
        for change in ({"indptr": [0, 50, 3]}, {"indptr": [0, 2000000, 3]}, {"indptr": [0, 1000, 3]}, {"indptr": [1, 2, 3]},
                       {"indptr": [0, 3, 2, 3], "shape": [3, 3]}, {"indices": [0, 1.5, 1]}, {"indices": [0, 1, 7]},
                       {"indices": [0, -1, 1]}, {"indptr": [0.0, 2.0, 3.0]}):
            parts = {**good, **change}
            path = os.path.join(self.folder, "p.npz")
            np.savez(path, q=np.ones(parts["shape"][0]), **{f"M.{name}": np.array(value) for name, value in parts.items()})
            with self.assertRaises(perp.InputError, msg=change) as caught:
                perp.read(path)
            self.assertIn("p.npz", str(caught.exception))
        np.savez(path, q=np.ones(2), **{f"M.{name}": np.array(value) for name, value in good.items()})
        self.assertEqual(perp.read(path).kind, "lcp")

    def test_sparse_matrices_in_memory_are_looked_at_too(self):
        m = scipy.sparse.csc_matrix((np.array([1.0, 2.0]), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
        m.indptr = np.array([0, 10**6, 2], dtype=np.int32)
        with self.assertRaises(ValueError):
            perp.lcp(m, [1.0, 1.0])

    def test_known_duals_and_empty_vectors_come_back(self):
        program = perp.conic_qp(np.eye(1), [0.0], np.ones((1, 1)), [1.0], [("nonnegative", 1)], solution=[0.0], dual_solution=[0.5])
        empty = perp.conic_qp(np.eye(2), [1.0, 1.0], np.zeros((0, 2)), [], [])
        for name in ("p.npz", "p.mat"):
            path = os.path.join(self.folder, name)
            perp.write(program, path)
            self.assertEqual(list(perp.read(path).dual_solution), [0.5])
            perp.write(empty, path)
            self.assertEqual(perp.read(path).fields["b"].size, 0)
        self.assertIsNone(empty.dual_solution)


if __name__ == "__main__":
    unittest.main()
