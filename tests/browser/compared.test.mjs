// Which solvers and problems a class compares, and what the page says about that: node --test tests/browser
import assert from "node:assert/strict";
import {test} from "node:test";
import {logTicks, shortCount, ticksOf} from "../../bench/report/page/src/axes.js";
import {exact, seconds} from "../../bench/report/page/src/format.js";
import {classTitle, machineNote, machineText, missingNote, noFailures, noVerdict, profileNote, repeatsText, reportMachineNote} from "../../bench/report/page/src/notes.js";
import {decode} from "../../bench/report/page/src/records.js";
import {comparisonOf, problemClasses, ratioOf, verdictOf} from "../../bench/report/page/src/statistics.js";

const record = (solver, problem, total, more = {}) => ({
  suite: "s", kind: "lcp", problem, id: problem, solver, n: 20, contacts: 0, total, residual: 1e-12, outcome: "solved",
  right: true, refused: false, knownEnd: false, gaveUp: false, ...more});
const failed = {right: false, outcome: "ray"}, refusal = {right: false, refused: true, outcome: "unsupported", total: NaN};
const numbers = (first, last) => Array.from({length: last - first + 1}, (_, i) => `${first + i}`);
const runs = (solver, first, last, total, more) => numbers(first, last).map((p) => record(solver, p, total, more));
const classOf = (...lists) => problemClasses(lists.flat())[0];
const noteOf = (c) => missingNote(c, comparisonOf(c));

test("a missing record is no refusal", () => {
  const c = classOf(runs("auto", 1, 14, 1), runs("lemke", 1, 15, 10));
  const verdict = verdictOf(c);
  assert.deepEqual([verdict.use, verdict.right, verdict.problems, verdict.took], ["auto", 14, 14, ["auto", "lemke"]]);
  assert.equal(noteOf(c), "auto has no record of 1 of the 15 problems; compared on the 14 that all have.");
  assert.equal(noteOf(classOf(runs("auto", 1, 15, 1), runs("lemke", 1, 15, 10))), "");
});

test("a refusal stays one", () => {
  const c = classOf(runs("auto", 1, 14, 1), runs("auto", 15, 15, 1, refusal), runs("lemke", 1, 15, 10));
  assert.deepEqual([verdictOf(c).use, verdictOf(c).took], ["lemke", ["lemke"]]);
  assert.equal(noteOf(c), "");
});

test("if every solver lacks another problem, there is an advice still", () => {
  const c = classOf(runs("auto", 1, 15, 1), runs("lemke", 2, 16, 10), runs("pgs", 1, 16, NaN, refusal));
  assert.deepEqual([verdictOf(c).use, verdictOf(c).problems], ["auto", 14]);
  assert.equal(noteOf(c), "auto has no record of 1 of the 16 problems, lemke of 1; compared on the 14 that all have.");
});

test("solvers with few records are left out, by name", () => {
  const c = classOf(runs("a", 1, 20, 3), runs("b", 1, 20, 2), runs("c", 1, 3, 1), runs("d", 4, 6, 1));
  assert.deepEqual([verdictOf(c).use, verdictOf(c).problems], ["b", 20]);
  assert.equal(noteOf(c), "Not compared: c has records of only 3 of the 20 problems, d of 3.");
  // Two halves: nothing to compare, and no choice.
  const halves = classOf(runs("a", 1, 10, 1), runs("b", 11, 20, 1));
  assert.deepEqual(verdictOf(halves).took, ["a"]);
  assert.equal(noteOf(halves), "a has no record of 10 of the 20 problems. Not compared: b has records of only 10 of the 20 problems.");
});

test("why there is no verdict", () => {
  const why = (c) => (assert.equal(verdictOf(c), null), noVerdict(c, comparisonOf(c)));
  assert.equal(why(classOf(runs("a", 1, 2, NaN, refusal), runs("b", 1, 2, NaN, refusal))), "Every run was refused.");
  assert.equal(why(classOf(runs("a", 1, 1, 1), runs("a", 2, 2, NaN, refusal))), "Every solver refused some of the problems.");
  assert.equal(why(classOf(runs("a", 1, 2, 1, failed))), "No solver that refused none of the problems was right on one.");
  const c = classOf(runs("a", 1, 4, 1, failed), runs("b", 1, 3, 1, failed));
  assert.equal(why(c), "No solver that refused none of the problems was right on one of the 3 problems that all of these have.");
});

test("times are compared on the problems that both were right on", () => {
  // b is right on the slow problems alone: the ratio of medians would be 20.
  const c = classOf([record("a", "1", 1), record("a", "2", 1), record("a", "3", 10), record("b", "1", 1, failed), record("b", "2", 1, failed), record("b", "3", 20)]);
  const {ratio, problems} = ratioOf(c, "b", "a");
  assert.ok(Math.abs(ratio - 2) < 1e-12);
  assert.equal(problems, 1);
  assert.equal(ratioOf(c, "a", "a").ratio, 1);
  const two = classOf([record("a", "1", 1), record("a", "2", 1), record("b", "1", 2), record("b", "2", 8)]);
  assert.ok(Math.abs(ratioOf(two, "b", "a").ratio - 4) < 1e-12);
  assert.ok(Number.isNaN(ratioOf(classOf([record("a", "1", 1), record("b", "1", 1, failed)]), "b", "a").ratio));
});

test("without failures the page says what the runs came to", () => {
  assert.equal(noFailures(runs("a", 1, 24, NaN, refusal)), "None, but nothing was solved: all 24 runs were refused.");
  assert.equal(noFailures(runs("a", 1, 1, NaN, refusal)), "None, but nothing was solved: the only run was refused.");
  assert.equal(noFailures(runs("a", 1, 3, 1)), "None: all 3 runs were solved.");
  const mixed = [runs("a", 1, 3, 1), runs("b", 1, 1, 1, {outcome: "infeasible"}), runs("b", 2, 2, 1, {...failed, gaveUp: true}), runs("b", 3, 3, NaN, refusal)].flat();
  assert.equal(noFailures(mixed), "None. Of 6 runs, 3 were solved; 1 proven to have no solution; 1 gave up on a problem that has none; 1 was refused.");
});

test("counts are exact", () => {
  assert.deepEqual([1023, 16383, 16383.5, 7, 0, 1234567, null, NaN].map(exact), ["1023", "16383", "16383.5", "7", "0", "1234567", "–", "–"]);
});

test("one is singular", () => {
  assert.equal(classTitle(classOf([record("a", "1", 1, {n: 1})])), "1 problem of 1 unknown");
  assert.equal(classTitle(classOf([record("a", "1", 1, {n: 4, contacts: 1})])), "1 problem of 1 contact");
  assert.equal(classTitle(classOf([record("a", "1", 1, {n: 2}), record("a", "2", 1, {n: 3})])), "2 problems of 2 – 3 unknowns");
  assert.match(profileNote(1), /^1 problem that every solver was given;/);
  assert.match(profileNote(24), /^24 problems that every solver was given;/);
  assert.equal(machineText("A (1 cores); B (11 cores)"), "A (1 core); B (11 cores)");
});

test("records of several machines", () => {
  const here = {machine: "A (1 cores), GNU 12"}, there = {machine: "B (4 cores), GNU 12"};
  assert.equal(machineNote(runs("a", 1, 2, 1, here)), "");
  assert.equal(machineNote(runs("a", 1, 2, 1, {machine: ""})), "");
  assert.equal(machineNote([runs("a", 1, 2, 1, there), runs("b", 1, 2, 1, here)].flat()),
    "Records of several machines or compilers (A (1 core), GNU 12; B (4 cores), GNU 12): times of different ones cannot be compared.");
  const about = (cpus, compilers) => ({machine: [["processor", cpus], ["system", "S; T"], ["compiler", compilers], ["perp", "1; 2"]]});
  assert.equal(reportMachineNote(about("A (2 cores)", "GNU 12")), "");
  assert.equal(reportMachineNote(null), "");
  assert.match(reportMachineNote(about("A (1 cores); B (4 cores)", "GNU 12")), /several machines or compilers \(A \(1 core\); B \(4 cores\)\): times of different ones cannot be compared\.$/);
  assert.match(reportMachineNote(about("A (2 cores)", "GNU 12; Clang 14")), /\(GNU 12; Clang 14\)/);
});

test("what times are medians of", () => {
  const of = (...counts) => repeatsText(counts.map((repeats) => record("a", "1", 1, {repeats})));
  assert.equal(of(1, 1), "of a single run each, not repeated");
  assert.equal(of(3, 3, 0), "medians of 3 runs each");
  assert.equal(of(1, 3, 2), "medians of 1 to 3 runs each");
  assert.equal(of(0, 0), "medians if a run was repeated");
  // The runs of failures are not repeated, and no time of theirs is shown as a median.
  assert.equal(repeatsText([record("a", "1", 1, {repeats: 3}), record("a", "2", 1, {...failed, repeats: 1})]), "medians of 3 runs each");
});

test("records may tell their machine and repeats", () => {
  const words = {suites: ["s"], groups: ["g"], problems: ["p"], kinds: ["lcp"], solvers: ["a"], modes: ["zero"], outcomes: ["solved"], messages: [""], settings: [""], machines: ["A", "B"]};
  const columns = ["suite", "group", "problem", "kind", "solver", "base", "mode", "outcome", "claimed", "message", "worst", "settings", "label", "source", "given", "plugin", "imported", "flags"];
  const row = columns.map(() => 0);
  const told = decode({words, columns: [...columns, "machine", "repeats"], rows: [[...row, 1, 3]]})[0];
  assert.deepEqual([told.machine, told.repeats], ["B", 3]);
  const silent = decode({words, columns, rows: [row]})[0];
  assert.deepEqual([silent.machine, silent.repeats], ["", 0]);
});

test("ticks have labels of their own", () => {
  assert.deepEqual(logTicks(8.7e-5, 1.3e-4).map((v) => v.toExponential()), ["9e-5", "1e-4", "1.1e-4", "1.2e-4", "1.3e-4"]);
  assert.deepEqual(logTicks(1, 1.6, 2), [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6]);
  assert.deepEqual(logTicks(1, 40, 2), [1, 2, 4, 8, 16, 32]);
  assert.deepEqual(logTicks(1, 1e5, 2), [1, 8, 64, 512, 4096, 32768]);
  assert.deepEqual(logTicks(1e-18, 1), [1e-18, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1]);
  assert.deepEqual(logTicks(1.5e-6, 3e-4), [2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4]);
  assert.deepEqual([logTicks(5, 5), logTicks(0, 1), logTicks(2, 1), logTicks(1, Infinity), ticksOf([0, NaN])], [[5], [], [], [], undefined]);
  assert.deepEqual(ticksOf([3, 1, null, 0, 2, NaN], 10, 5), [1, 1.5, 2, 2.5, 3]);
  let low = 1.234e-7;
  for (let k = 0; k < 400; ++k) {
    low *= 1.09;
    for (const ratio of [1.0001, 1.1, 1.7, 4, 9.9, 11, 99, 500, 1e4, 1e9]) {
      for (const base of [2, 10]) {
        const ticks = logTicks(low, low * ratio, base), where = `${base}: ${low} to ${low * ratio}`;
        assert.ok(ticks.length >= 2 && ticks.length <= 9, `${where}: ${ticks}`);
        assert.ok(ticks.every((v) => v >= low * (1 - 1e-8) && v <= low * ratio * (1 + 1e-8)), where);
        for (const text of [(v) => v.toExponential(), (v) => seconds(v, 12), String, shortCount]) assert.equal(new Set(ticks.map(text)).size, ticks.length, where);
      }
    }
  }
  assert.deepEqual([50, 1000, 1500, 2e6].map(shortCount), ["50", "1k", "1.5k", "2M"]);
});
