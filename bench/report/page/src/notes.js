// Sentences of the page about records: what is compared, what is missing, how it was measured.
import {many, range} from "./format.js";

/** "15 problems of 50 – 100 contacts" */
export function classTitle({problems, low, high, unit}) {
  const size = low === high ? many(low, unit.replace(/s$/, ""), unit) : `${range(low, high)} ${unit}`;
  return `${many(problems.length, "problem")} of ${size}`;
}

/** Which solvers of a class have no record of some problem, and what follows; "" if all have all. @param comparison of comparisonOf() */
export function missingNote(problemClass, {compared, problems, incomplete}) {
  const all = problemClass.problems.length, sentences = [];
  const kept = incomplete.filter((s) => s.compared);
  if (kept.length > 0) {
    const list = kept.map((s, k) => (k === 0 ? `${s.solver} has no record of ${all - s.given} of the ${all} problems` : `${s.solver} of ${all - s.given}`));
    const on = problems.length === 1 ? "the one" : `the ${problems.length}`;
    sentences.push(`${list.join(", ")}${compared.length > 1 ? `; compared on ${on} that all have` : ""}.`);
  }
  const out = incomplete.filter((s) => !s.compared);
  if (out.length > 0) {
    const list = out.map((s, k) => (k === 0 ? `${s.solver} has records of only ${s.given} of the ${all} problems` : `${s.solver} of ${s.given}`));
    sentences.push(`Not compared: ${list.join(", ")}.`);
  }
  return sentences.join(" ");
}

/** Why a class has no verdict. */
export function noVerdict(problemClass, {compared, problems}) {
  const runs = problemClass.problems.flatMap((p) => p.cells).filter((r) => r);
  if (runs.every((r) => r.refused)) return "Every run was refused.";
  if (compared.length === 0) return "Every solver refused some of the problems.";
  const on = problems.length < problemClass.problems.length ? `${problems.length === 1 ? "the one problem" : `one of the ${problems.length} problems`} that all of these have` : "one";
  return `No solver that refused none of the problems was right on ${on}.`;
}

/** Texts of C++ count cores without a singular. */
export const machineText = (text) => text.replaceAll("(1 cores)", "(1 core)");

const ofSeveral = (names) => `several machines or compilers (${names.map(machineText).join("; ")}): times of different ones cannot be compared.`;

/** That records are of several machines; "" if they are not, or do not tell. */
export function machineNote(records) {
  const machines = [...new Set(records.map((r) => r.machine).filter(Boolean))].sort();
  return machines.length > 1 ? `Records of ${ofSeveral(machines)}` : "";
}

/** The same of the whole report. @param about has lists of what the records name, joined by "; " */
export function reportMachineNote(about) {
  const lists = (about?.machine ?? []).filter(([name, value]) => ["processor", "compiler"].includes(name) && value.includes("; "));
  return lists.length > 0 ? `The report has records of ${ofSeveral(lists.map(([, value]) => value))}` : "";
}

/** What there is instead of failures. */
export function noFailures(records) {
  const solved = records.filter((r) => r.outcome === "solved").length, refused = records.filter((r) => r.refused).length;
  const proven = records.filter((r) => r.right).length - solved, gaveUp = records.filter((r) => r.gaveUp).length;
  const were = (count) => (count === 1 ? "was" : "were");
  if (records.length === 0) return "None: there are no runs.";
  const all = records.length === 1 ? "the only run was" : `all ${records.length} runs were`;
  if (refused === records.length) return `None, but nothing was solved: ${all} refused.`;
  if (solved === records.length) return `None: ${all} solved.`;
  const parts = [
    solved > 0 && `${solved} ${were(solved)} solved`, proven > 0 && `${proven} proven to have no solution`, gaveUp > 0 && `${gaveUp} gave up on a problem that has none`,
    refused > 0 && `${refused} ${were(refused)} refused`].filter(Boolean);
  return `None. Of ${many(records.length, "run")}, ${parts.join("; ")}.`;
}

/** What the times are medians of, as far as the runs that ended right tell. */
export function repeatsText(records) {
  const counts = records.filter((r) => r.right && r.repeats > 0).map((r) => r.repeats);
  if (counts.length === 0) return "medians if a run was repeated";
  const low = counts.reduce((a, b) => Math.min(a, b)), high = counts.reduce((a, b) => Math.max(a, b));
  if (high === 1) return "of a single run each, not repeated";
  return low === high ? `medians of ${high} runs each` : `medians of ${low} to ${high} runs each`;
}

/** @param count of problems */
export const profileNote = (count) => `${many(count, "problem")} that every solver was given; bands: 90 % over problems drawn again`;
