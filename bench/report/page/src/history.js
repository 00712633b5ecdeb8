// Earlier runs beside this one: times and successes over versions.
import {historyChart} from "./charts.js";
import {h, whenSeen} from "./dom.js";
import {number} from "./format.js";
import {penOf} from "./pens.js";
import {groupBy} from "./statistics.js";
import {table} from "./table.js";

const name = (run) => `${run.label}${run.same_machine ? "" : " (other machine)"}`;

export function historySection(history) {
  if (!history || history.length === 0) return null;
  const rows = history.flatMap((run) => run.groups.map((group) => ({...group, label: name(run)})));
  const runs = history.map(name);
  const suites = groupBy(rows, (row) => row.suite);
  return h("section", {id: "versions"}, h("h2", {}, "Over versions"),
    h("p", {}, "Earlier runs of the same problems. A ratio is the time then over the time now, the geometric mean over the problems that both solved; above 1 perp is faster now. ",
      "Bands and verdicts are those of perp compare. Times of another machine say little."),
    [...suites].map(([suite, list]) => {
      const timed = list.filter((row) => row.timed > 0);
      return h("details", {open: suites.size < 4}, h("summary", {}, suite),
        timed.length > 0 && whenSeen(h("div", {class: "figures"}), (place) => place.append(historyChart(timed, [...runs, "now"], suite))), table([
          {head: "solver", text: true, cell: (r) => h("span", {class: "solver"}, h("i", {style: {background: penOf(r.solver).colour}}), r.solver), sort: (r) => r.solver},
          {head: "run", text: true, cell: (r) => r.label},
          {head: "problems in both", cell: (r) => `${r.compared}`, sort: (r) => r.compared},
          {head: "right then", cell: (r) => `${r.solved_before}`, sort: (r) => r.solved_before},
          {head: "right now", cell: (r) => h("span", {class: r.solved_now < r.solved_before ? "some" : "all"}, `${r.solved_now}`), sort: (r) => r.solved_now},
          {head: "time then over now", cell: (r) => (r.timed > 0 ? number(r.ratio, 3) : ""), sort: (r) => r.ratio ?? NaN},
          {head: "band", cell: (r) => (r.timed > 0 ? `${number(r.low, 3)} – ${r.high === null ? "?" : number(r.high, 3)}` : ""), sort: (r) => r.low ?? NaN},
        ], list, {by: "solver"}));
    }));
}
