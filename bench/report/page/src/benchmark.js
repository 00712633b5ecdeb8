// The sections of the benchmark: verdicts, suites, failures, claims of solvers.
import {profileChart, scalingChart} from "./charts.js";
import {h, whenSeen} from "./dom.js";
import {exact, many, number, percent, range, residual, seconds} from "./format.js";
import {classTitle, machineNote, missingNote, noFailures, noVerdict, reportMachineNote} from "./notes.js";
import {penOf} from "./pens.js";
import {command} from "./records.js";
import {comparisonOf, groupBy, median, problemClasses, quantile, ratioOf, solversOf, verdictOf} from "./statistics.js";
import {table} from "./table.js";

const solverName = (name) => h("span", {class: "solver"}, h("i", {style: {background: penOf(name).colour}}), name);
const anchor = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-");

// ---- verdicts

const FEW = 5;  // problems, of which nothing can be said with certainty

function classDetail(problemClass, verdict) {
  const rows = solversOf(problemClass).filter((s) => s.taken > 0).map((s) => ({...s, to: verdict ? ratioOf(problemClass, s.solver, verdict.use) : {ratio: NaN, problems: 0}}));
  const advisedRight = rows.find((s) => s.solver === verdict?.use)?.right;
  const refusing = solversOf(problemClass).filter((s) => s.taken === 0);
  return h("div", {class: "detail"},
    table([
      {head: "solver", text: true, cell: (s) => solverName(s.solver), sort: (s) => s.solver},
      {head: "right", cell: (s) => `${s.right} of ${s.taken}`, sort: (s) => s.right / s.taken},
      {head: "share, 95 % band", cell: (s) => `${percent(s.share[0])} – ${percent(s.share[1])}`, sort: (s) => s.share[0]},
      {head: "median time", cell: (s) => seconds(s.time), sort: (s) => s.time},
      {head: "90 % band", cell: (s) => (Number.isFinite(s.band[0]) ? `${seconds(s.band[0])} – ${seconds(s.band[1])}` : "–"), sort: (s) => s.band[0]},
      {head: "shifted mean", title: "geometric mean of time + 1 ms, less 1 ms, over the problems taken; what is not right counts as the time limit, and giving up on a problem without a solution does not count. qpbenchmark's measure, with a shift of 10 s there",
       cell: (s) => seconds(s.mean), sort: (s) => s.mean},
      {head: "to the advised", title: "time over that of the advised solver, the geometric mean over the problems that both were right on; so many, if these are not all that the advised solver was right on",
       cell: (s) => `${number(s.to.ratio, 3)}${s.to.problems > 0 && s.to.problems < advisedRight ? ` (on ${s.to.problems})` : ""}`, sort: (s) => s.to.ratio},
      {head: "wrong", title: "claims that the verifier refuted", cell: (s) => (s.wrong ? `${s.wrong}` : "")},
      {head: "why not all", text: true, cell: (s) => s.reasons},
      {head: "refused", cell: (s) => (s.refused ? `${s.refused}` : "")},
    ], rows, {by: "right", falling: true}),
    refusing.length > 0 && h("p", {}, `Refused all: ${refusing.map((s) => s.solver).join(", ")}.`),
    verdict && verdict.losses.length > 0 && h("div", {}, h("p", {}, `Problems on which another solver is better than ${verdict.use}:`), table([
      {head: "problem", text: true, cell: (l) => l.problem.name},
      {head: "better", text: true, cell: (l) => solverName(l.by), sort: (l) => l.by},
      {head: "times faster", cell: (l) => (!l.fails ? number(l.ratio, 3) : `${verdict.use} fails: ${l.problem.cells.find((r) => r?.solver === verdict.use).outcome.replaceAll("_", " ")}`),
       sort: (l) => l.ratio},
    ], verdict.losses, {by: "times faster", falling: true})),
    verdict && verdict.losses.length === 0 && h("p", {}, `On no problem is another solver better than ${verdict.use} by more than a tenth.`));
}

export function verdictSection(records, about) {
  const body = h("tbody"), machines = reportMachineNote(about);
  for (const c of problemClasses(records)) {
    const v = verdictOf(c), comparison = comparisonOf(c);
    const notes = [missingNote(c, comparison), machineNote(c.problems.flatMap((p) => p.cells).filter(Boolean))].filter(Boolean);
    const detail = h("tr", {class: "detail", hidden: true}, h("td", {colspan: 8}));
    const button = h("button", {"aria-expanded": "false", onclick: () => {
      if (!detail.firstChild.firstChild) detail.firstChild.append(classDetail(c, v));
      detail.hidden = !detail.hidden;
      button.setAttribute("aria-expanded", `${!detail.hidden}`);
    }}, c.suite);
    const cells = v ? [
      h("td", {class: "text"}, h("b", {}, solverName(v.use))),
      h("td", {}, `${v.right} of ${v.problems}`),
      h("td", {}, seconds(v.time)),
      h("td", {class: "text", title: "of 200 times that the problems were drawn again, the advice stayed in so many; no choice: only one solver is compared"}, v.took.length === 1 ? "no choice" : v.problems < FEW ? "few problems" : percent(v.certainty)),
      h("td", {class: "text"}, v.fastest === v.use ? "the same" : [solverName(v.fastest), ` (first on ${v.wins})`]),
      h("td", {}, v.unsolved > 0 ? `${v.unsolved}` : ""),
    ] : [h("td", {class: "text some", colspan: 6}, noVerdict(c, comparison))];
    const open = (event) => {
      if (!button.contains(event.target)) button.click();
    };
    body.append(h("tr", {class: "opens", onclick: open}, h("th", {class: "text", scope: "row"}, button), h("td", {class: "text"}, `${c.kind.replaceAll("_", " ")}, ${classTitle(c)}`, notes.map((note) => h("small", {class: "note"}, note))), ...cells), detail);
  }
  return h("section", {id: "verdict"}, h("h2", {}, "Which solver to use"),
    h("p", {}, "Advised is, of the solvers that refused no problem of the class, one of those that were right most often: the fastest of them (geometric mean over the problems that all of these solved). ",
      "If one has no record of some problem, the class says so, and only problems count that all who are compared have. ",
      "Right is solved and granted by the verifier, or proven to have no solution. ", h("em", {}, "How sure"),
      ": the share of 200 repetitions, each with as many problems drawn at random from these, in which the advice is the same. No choice: only one solver is compared. A class opens with a click: all solvers, and the problems on which the advised one loses."),
    machines && h("p", {class: "part"}, machines),
    h("div", {class: "scroll"}, h("table", {class: "verdicts"}, h("thead", {}, h("tr", {}, ["suite", "problems", "use this", "right", "median time", "how sure", "fastest", "unsolved"].map((head, k) =>
      h("th", {class: [0, 1, 2, 5, 6].includes(k) ? "text" : null, title: head === "unsolved" ? "problems that none of the compared solvers solved" : null}, head)))), body)));
}

// ---- suites

function groupTable(records) {
  const groups = groupBy(records.filter((r) => !r.refused), (r) => [r.group, r.size, r.solver].join("\n"));
  const rows = [...groups.values()].map((list) => {
    const solved = list.filter((r) => r.outcome === "solved"), right = list.filter((r) => r.right);
    const times = right.map((r) => r.total);
    const first = list[0], ns = list.map((r) => r.n);
    return {group: first.group, size: first.size, n: [Math.min(...ns), Math.max(...ns)], solver: first.solver, runs: list.length, right: right.length, solved: solved.length,
            proven: right.length - solved.length, vacuous: solved.filter((r) => r.vacuous).length, gaveUp: list.filter((r) => r.gaveUp).length,
            wrong: list.filter((r) => r.outcome === "wrong").length, time: median(times), low: quantile(times, 0.1), high: quantile(times, 0.9), solve: median(right.map((r) => r.solve)),
            less: solved.filter((r) => r.asked < r.tolerance * 0.99).length, residual: solved.reduce((a, r) => Math.max(a, r.residual ?? 0), 0), cholesky: median(right.map((r) => (r.llt ? r.total / r.llt : NaN))), iterations: median(solved.map((r) => r.iterations))};
  });
  const count = (value) => (value > 0 ? `${value}` : "");
  return table([
    {head: "problems", text: true, cell: (g) => g.group},
    {head: "size", cell: (g) => count(g.size), sort: (g) => g.size},
    {head: "n", cell: (g) => range(...g.n), sort: (g) => g.n[0]},
    {head: "solver", text: true, cell: (g) => solverName(g.solver), sort: (g) => g.solver},
    {head: "right", cell: (g) => h("span", {class: g.right + g.gaveUp === g.runs ? "all" : "some"}, `${g.right} of ${g.runs}`), sort: (g) => g.right / g.runs},
    {head: "median time", cell: (g) => seconds(g.time), sort: (g) => g.time},
    {head: "10 – 90 %", cell: (g) => (g.right > 2 ? `${seconds(g.low)} – ${seconds(g.high)}` : ""), sort: (g) => g.low},
    {head: "solve alone", cell: (g) => seconds(g.solve), sort: (g) => g.solve},
    {head: "to a Cholesky", title: "setup and solve over the time of a dense LLT factorisation of that n, in the same process", cell: (g) => number(g.cholesky, 3), sort: (g) => g.cholesky},
    {head: "iterations", cell: (g) => exact(g.iterations), sort: (g) => g.iterations},
    {head: "worst residual", cell: (g) => (g.solved ? residual(g.residual) : "–"), sort: (g) => g.residual},
    {head: "proven", title: "no solution, by a certificate that was checked", cell: (g) => count(g.proven)},
    {head: "gave up", title: "on problems known to have no solution", cell: (g) => count(g.gaveUp)},
    {head: "wrong", title: "claims that the verifier refuted", cell: (g) => count(g.wrong)},
    {head: "vacuous", title: "solved ones that zero or the start solves already", cell: (g) => count(g.vacuous)},
    {head: "asked for less", title: "solved ones that were granted only when the solver was asked for a part of the tolerance", cell: (g) => count(g.less)},
  ], rows, {by: "problems"});
}

function startTable(records) {
  const started = records.filter((r) => r.mode !== "zero" && !r.refused);
  // Runs are compared with the run from zero of the same solver, settings, tolerance and limit.
  const apart = (r) => [r.base, r.label, r.settings, r.tolerance, r.limit, r.memory].join("\n");
  const rows = [...groupBy(started, (r) => [r.group, r.mode, apart(r)].join("\n")).values()].map((list) => {
    const cold = new Map(records.filter((r) => r.mode === "zero" && apart(r) === apart(list[0])).map((r) => [r.id, r]));
    const pairs = list.map((r) => [r, cold.get(r.id)]).filter(([w, c]) => c && w.right && c.right);
    const sum = (k, name) => pairs.reduce((total, pair) => total + pair[k][name], 0);
    const lost = list.filter((r) => !r.right && cold.get(r.id)?.right).map((r) => `${r.problem} (${r.outcome.replaceAll("_", " ")})`);
    return {group: list[0].group, solver: list[0].solver, runs: list.length, right: list.filter((r) => r.right).length, shared: pairs.length, lost,
            time: [sum(0, "total"), sum(1, "total")], iterations: [sum(0, "iterations"), sum(1, "iterations")]};
  });
  if (rows.length === 0) return null;
  return h("div", {}, h("h3", {}, "Warm and stored starts"), h("p", {}, "Ratios of totals over the problems that the solver solved from zero and from the start."), table([
    {head: "problems", text: true, cell: (g) => g.group},
    {head: "solver", text: true, cell: (g) => g.solver},
    {head: "right", cell: (g) => `${g.right} of ${g.runs}`, sort: (g) => g.right / g.runs},
    {head: "both", cell: (g) => `${g.shared}`, sort: (g) => g.shared},
    {head: "time, to that from zero", cell: (g) => (g.shared ? number(g.time[0] / g.time[1], 3) : "–"), sort: (g) => g.time[0] / g.time[1]},
    {head: "iterations, to those from zero", cell: (g) => (g.shared && g.iterations[1] ? number(g.iterations[0] / g.iterations[1], 3) : "–"), sort: (g) => g.iterations[0] / g.iterations[1]},
    {head: "lost", title: "solved from zero, and not from the start", text: true, cell: (g) => h("span", {class: "wrap"}, g.lost.join(", "))},
  ], rows, {by: "problems"}));
}

export function suiteSection(suite, all) {
  const records = all.filter((r) => r.main);
  const charts = h("div", {class: "figures"});
  const refusals = [...groupBy(records.filter((r) => r.refused), (r) => r.solver)].map(([solver, list]) => ({solver, list}));
  const given = groupBy(records, (r) => r.solver), machines = machineNote(records);
  return h("section", {id: `suite-${anchor(suite)}`}, h("h2", {}, suite), machines && h("p", {class: "part"}, machines),
    whenSeen(charts, () => {
      charts.append(...["ratio", "data", "residual"].map((what) => profileChart(records, what === "data" ? "time" : what, suite)).filter(Boolean),
        ...[...new Set(records.map((r) => r.group))].sort().map((group) => scalingChart(records, group)).filter(Boolean));
    }),
    groupTable(records), startTable(all),
    refusals.length > 0 && h("details", {}, h("summary", {}, `Refusals: ${many(refusals.length, "solver")}`), table([
      {head: "solver", text: true, cell: (r) => r.solver},
      {head: "refused", cell: (r) => `${r.list.length} of ${given.get(r.solver).length}`, sort: (r) => r.list.length},
      {head: "why", text: true, cell: (r) => [...new Set(r.list.map((x) => x.message))].slice(0, 3).join("; ")},
    ], refusals, {by: "solver"})));
}

// ---- failures

export function failureSection(records) {
  const failed = records.filter((r) => !r.right && !r.refused && !r.gaveUp);
  const reasons = [...groupBy(failed, (r) => [r.suite, r.solver, r.outcome].join("\n")).values()].map((list) => ({...list[0], count: list.length}));
  if (failed.length === 0) {
    return h("section", {id: "failures"}, h("h2", {}, "Failures"),
      h("p", {}, noFailures(records)));
  }
  return h("section", {id: "failures"}, h("h2", {}, "Failures"), h("h3", {}, "By reason"), table([
    {head: "runs", cell: (r) => `${r.count}`, sort: (r) => r.count},
    {head: "suite", text: true, cell: (r) => r.suite},
    {head: "solver", text: true, cell: (r) => solverName(r.solver), sort: (r) => r.solver},
    {head: "reason", text: true, cell: (r) => r.outcome.replaceAll("_", " ")},
  ], reasons, {by: "runs", falling: true}), h("h3", {}, "Each of them"), table([
    {head: "problem", text: true, cell: (r) => r.problem},
    {head: "n", cell: (r) => `${r.n}`, sort: (r) => r.n},
    {head: "solver", text: true, cell: (r) => solverName(r.solver), sort: (r) => r.solver},
    {head: "reason", text: true, cell: (r) => r.outcome.replaceAll("_", " ")},
    {head: "residual", cell: (r) => residual(r.residual), sort: (r) => r.residual ?? NaN},
    {head: "worst row", text: true, cell: (r) => r.worst},
    {head: "time", cell: (r) => seconds(r.total), sort: (r) => r.total ?? NaN},
    {head: "what it says", text: true, cell: (r) => h("span", {class: "wrap"}, r.message)},
    {head: "again with", text: true, cell: (r) => h("code", {class: "command"}, command(r)), sort: (r) => r.problem},
  ], failed, {by: "problem"}));
}

// ---- what solvers claim

export function honestySection(records) {
  const LOOSE = 100;
  const rows = [...groupBy(records.filter((r) => !r.refused), (r) => r.solver).values()].map((list) => {
    const claims = list.filter((r) => r.claimed === "solved");
    return {solver: list[0].solver, runs: list.length, claims: claims.length, granted: claims.filter((r) => r.outcome === "solved").length,
            first: claims.filter((r) => r.outcome === "solved" && r.asked >= r.tolerance * 0.99).length,
            loose: list.filter((r) => r.residual !== null && r.residual <= LOOSE * r.tolerance).length, wrong: list.filter((r) => r.outcome === "wrong").length};
  });
  return h("section", {id: "claims-of-solvers"}, h("h2", {}, "What solvers claim, and what the verifier grants"),
    h("p", {}, "A claim that is refuted is made again at a tenth, a hundredth and a thousandth of the tolerance. The last columns count answers within the tolerance and within a hundred times of it, claimed or not."), table([
      {head: "solver", text: true, cell: (r) => solverName(r.solver), sort: (r) => r.solver},
      {head: "runs", cell: (r) => `${r.runs}`, sort: (r) => r.runs},
      {head: "claims solved", cell: (r) => `${r.claims}`, sort: (r) => r.claims},
      {head: "granted", cell: (r) => `${r.granted}`, sort: (r) => r.granted},
      {head: "granted at once", cell: (r) => `${r.first}`, sort: (r) => r.first},
      {head: "refuted", cell: (r) => (r.wrong ? h("span", {class: "some"}, `${r.wrong}`) : "0"), sort: (r) => r.wrong},
      {head: "within the tolerance", cell: (r) => `${percent(records.filter((x) => x.solver === r.solver && x.outcome === "solved").length / r.runs)}`},
      {head: "within 100 times it", cell: (r) => percent(r.loose / r.runs), sort: (r) => r.loose / r.runs},
    ], rows, {by: "solver"}));
}
