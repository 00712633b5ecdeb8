// What the page of a report counts, on records made by hand: node --test tests/browser
import assert from "node:assert/strict";
import {test} from "node:test";
import {bootstrap, commonProblems, measures, median, problemClasses, profile, profileData, quantile, shiftedMean, solversOf, verdictOf, wilson} from "../../bench/report/page/src/statistics.js";
import {command, decode} from "../../bench/report/page/src/records.js";
import {percent} from "../../bench/report/page/src/format.js";
import {penOf} from "../../bench/report/page/src/pens.js";

const record = (solver, problem, total, more = {}) => ({
  suite: "s", group: "g", kind: "lcp", problem, id: problem, position: 0, solver, base: solver, n: 20, contacts: 0, total, residual: 1e-12, outcome: "solved",
  right: true, refused: false, knownEnd: false, gaveUp: false, ...more});
const failed = {right: false, outcome: "ray", residual: 1e-3};

// Four problems: a is fastest on two, b on two, and b does not solve the last.
const handMade = [
  record("a", "1", 1), record("b", "1", 2), record("a", "2", 4), record("b", "2", 1), record("a", "3", 3), record("b", "3", 3),
  record("a", "4", 1), record("b", "4", 0.5, failed), record("a", "only a", 1)];

test("performance, data and accuracy profiles", () => {
  const common = commonProblems(handMade);
  assert.deepEqual(common.solvers, ["a", "b"]);
  assert.equal(common.problems.length, 4);
  assert.deepEqual(measures(common, "ratio"), [[1, 4, 1, 1], [2, 1, 1, Infinity]]);
  assert.deepEqual(measures(common, "time")[1], [2, 1, 3, Infinity]);
  assert.deepEqual(measures(common, "residual")[1], [1e-12, 1e-12, 1e-12, 1e-3]);
  const steps = profile([2, 1, 1, Infinity], ["1", "2", "3", "4"], 1, 8);
  assert.deepEqual(steps.map((p) => [p.x, p.y]), [[1, 0], [1, 0.25], [1, 0.5], [2, 0.75], [8, 0.75]]);
  assert.equal(steps[3].name, "1");
});

test("who refused all is in no profile, who refused some is", () => {
  const refused = {...failed, refused: true, outcome: "unsupported", residual: null};
  const records = [record("a", "1", 1), record("a", "2", 1), record("b", "1", 1), record("b", "2", NaN, refused), record("c", "1", NaN, refused), record("c", "2", NaN, refused)];
  const common = commonProblems(records);
  assert.deepEqual(common.solvers, ["a", "b"]);
  assert.deepEqual(measures(common, "time")[1], [1, Infinity]);
});

test("the shifted mean counts failures at the limit", () => {
  const runs = [record("a", "1", 0.003), record("a", "2", 0.099, {limit: 8}), record("a", "3", 0.5, {...failed, limit: 7.999}),
                record("a", "4", 0.1, {...failed, limit: 5, gaveUp: true})];
  assert.ok(Math.abs(shiftedMean(runs) - (Math.cbrt(0.004 * 0.1 * 8) - 0.001)) < 1e-12);
  assert.ok(Number.isNaN(shiftedMean([record("a", "1", 1, {...failed, limit: 0})])));
});

test("the verdict: most often right, then fastest where all of these are right", () => {
  const [c] = problemClasses(handMade.filter((r) => r.problem !== "only a"));
  const verdict = verdictOf(c);
  assert.equal(verdict.use, "a");
  assert.equal(verdict.right, 4);
  assert.equal(verdict.losses.length, 1);
  assert.deepEqual([verdict.losses[0].problem.name, verdict.losses[0].by, verdict.losses[0].ratio], ["2", "b", 4]);
  assert.ok(verdict.certainty > 0.5 && verdict.certainty < 1, `${verdict.certainty}`);
  assert.equal(verdict.problems, 4);
  const equal = [record("a", "1", 1), record("b", "1", 2), record("a", "2", 4), record("b", "2", 1)];
  assert.equal(verdictOf(problemClasses(equal)[0]).use, "b");  // 2 < 4
});

test("who refused all or some is in no comparison, and nothing is drawn of refusals alone", () => {
  const refused = {...failed, refused: true, outcome: "unsupported", residual: null};
  const all = ["1", "2"].flatMap((p) => ["a", "b"].map((s) => record(s, p, NaN, refused)));
  for (const what of ["ratio", "time", "residual"]) assert.equal(profileData(all, what), null);
  const none = ["1", "2"].flatMap((p) => ["a", "b"].map((s) => record(s, p, 1, failed)));
  assert.equal(profileData(none, "time"), null);  // no curve would leave zero
  assert.deepEqual(profileData(none, "residual").solvers, ["a", "b"]);
  assert.deepEqual(profileData(handMade, "time").finite.length, 7);
});

test("a solver that refused a problem is not advised", () => {
  const [c] = problemClasses([record("a", "1", 1), record("a", "2", 1), record("b", "1", 0.1), record("b", "2", NaN, {...failed, refused: true})]);
  assert.deepEqual(verdictOf(c).took, ["a"]);
  const [none] = problemClasses([record("a", "1", 1, failed)]);
  assert.equal(verdictOf(none), null);
});

test("classes are by suite, kind and size", () => {
  const classes = problemClasses([record("a", "1", 1, {n: 5}), record("a", "2", 1, {n: 200}), record("a", "3", 1, {n: 90, contacts: 40}), record("a", "4", 1, {n: 90, contacts: 50})]);
  assert.deepEqual(classes.map((c) => [c.low, c.high, c.unit, c.problems.length]), [[5, 5, "unknowns", 1], [40, 50, "contacts", 2], [200, 200, "unknowns", 1]]);
});

test("solvers of a class, with reasons", () => {
  const [c] = problemClasses([...handMade.filter((r) => r.problem !== "only a")]);
  const b = solversOf(c).find((s) => s.solver === "b");
  assert.deepEqual([b.right, b.taken, b.reasons, b.time], [3, 4, "1 ray", 2]);
  assert.ok(b.share[0] < 0.75 && b.share[1] > 0.75);
});

test("intervals", () => {
  const [low, high] = wilson(50, 100);  // known values
  assert.ok(Math.abs(low - 0.4038) < 1e-3 && Math.abs(high - 0.5962) < 1e-3);
  assert.deepEqual(wilson(0, 0), [0, 1]);
  for (let n = 1; n <= 300; ++n) assert.deepEqual([wilson(0, n)[0], wilson(n, n)[1]], [0, 1]);  // 0 of 22 was "<1 %"
  const values = Array.from({length: 400}, (_, i) => i);
  const band = bootstrap(values.length, (picked) => picked.reduce((sum, i) => sum + values[i], 0) / picked.length);
  // The mean of 400 uniform numbers: 199.5 with a deviation of 5.77; 90 % are within 1.645 of these.
  assert.ok(Math.abs(band[0] - 190) < 2.5 && Math.abs(band[1] - 209) < 2.5, `${band}`);
  assert.deepEqual(bootstrap(5, (picked) => picked[0]), bootstrap(5, (picked) => picked[0]));  // the same each time
  assert.equal(quantile([3, 1, 2, NaN], 0.5), 2);
  assert.ok(Number.isNaN(median([])));
});

test("records and the command that repeats one", () => {
  const [r] = decode({words: {suites: ["it's"], groups: ["g"], problems: ["p 1"], kinds: ["lcp"], solvers: ["lemke", "first(a, b)"], modes: ["warm"], outcomes: ["ray"], messages: [""], settings: ['{"x":"1"}', "", "dir/it's.json"]},
    columns: ["suite", "group", "problem", "kind", "solver", "base", "mode", "outcome", "claimed", "message", "worst", "settings", "size", "n", "contacts", "position", "total", "solve",
      "residual", "tolerance", "asked", "limit", "iterations", "llt", "flags", "id", "label", "memory", "source", "given", "plugin", "imported"],
    rows: [[0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 3, 4, 0, 2, 0.5, 0.25, null, 1e-8, 1e-8, 5, 7, null, 1 + 64, 9, 1, 100, 2, 1, 1, 1]]});
  assert.deepEqual([r.right, r.refused, r.main, r.residual, r.limit, r.id, r.source], [true, false, true, null, 5, 9, "dir/it's.json"]);
  const rest = "--tolerance 1e-8 --time-limit 5 --memory-limit 100 -o again --overwrite";
  // A solve that began at the answer before needs the whole sequence.
  assert.equal(command(r), `perp bench 'dir/it'\\''s.json' --solvers 'first(a, b)' --set x=1 --start warm ${rest}`);
  assert.equal(command({...r, mode: "stored"}), `perp bench 'dir/it'\\''s.json' --only 'p 1' --solvers 'first(a, b)' --set x=1 --start stored ${rest}`);
  const own = {...r, mode: "zero", source: "", suite: "s", given: 'mine=exec:"a b"', plugin: "x.so,y.so", label: "new"};
  assert.equal(command(own), `perp bench s --only 'p 1' --solvers 'mine=exec:"a b"' --plugin x.so --plugin y.so --set x=1 ${rest.replace("-o", "--label new -o")}`);
  const python = {...r, mode: "zero", source: "", suite: "s", given: "", plugin: "", imported: "my solver.py,b.py"};
  assert.equal(command(python), `python3 -m perp --import 'my solver.py' --import b.py bench s --only 'p 1' --solvers 'first(a, b)' --set x=1 ${rest}`);
});

// Members of a family with other parameters, and files of two folders, may have one name.
test("problems of one name are counted apart", () => {
  const twice = [record("a", "p", 1, {id: 1}), record("a", "p", 3, {id: 2, ...failed}), record("b", "p", 2, {id: 1}), record("b", "p", 2, {id: 2})];
  const [c] = problemClasses(twice);
  assert.equal(c.problems.length, 2);
  assert.equal(verdictOf(c).use, "b");
  assert.deepEqual(solversOf(c).map((s) => [s.solver, s.right, s.taken]), [["a", 1, 2], ["b", 2, 2]]);
  assert.equal(commonProblems(twice).problems.length, 2);
});

test("a time of 0 is no failure", () => {
  const [c] = problemClasses([record("a", "1", 1e-3), record("b", "1", 0), record("a", "2", 1e-3), record("b", "2", 1, failed)]);
  const [loss] = verdictOf(c).losses;
  assert.equal(loss.fails, false);
  assert.ok(Number.isFinite(loss.ratio));
});

test("all and nothing are told from nearly all and hardly any", () => {
  assert.deepEqual([1, 0.996, 0.5, 0.004, 0].map(percent), ["100 %", "99 %", "50 %", "<1 %", "0 %"]);
});

test("a solver's pen does not depend on the report, and known solvers do not share one", () => {
  const known = ["auto", "newton-fb", "lemke", "interior-point", "pgs", "nsgs", "newton-ac", "siconos-lemke", "ipopt", "petsc-ssils-lu"];
  const pens = known.map((name) => JSON.stringify(penOf(name)));
  assert.equal(new Set(pens).size, known.length);
  assert.deepEqual(penOf("siconos-lemke*"), penOf("siconos-lemke"));
  assert.deepEqual(penOf("mine (x)"), penOf("mine (x)"));
});

test("the frame of a time", async () => {
  const {frameAt} = await import("../../bench/report/page/src/frames.js");
  assert.deepEqual([-1, 0, 0.05, 0.1, 0.29, 0.3, 9].map((t) => frameAt([0, 0.1, 0.2, 0.3], t)), [0, 0, 0, 1, 2, 3, 3]);
});
