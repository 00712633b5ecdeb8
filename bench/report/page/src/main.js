// The page: its data are in it, its sections are made of them.
import {failureSection, honestySection, suiteSection, verdictSection} from "./benchmark.js";
import {h, prose} from "./dom.js";
import {many} from "./format.js";
import {historySection} from "./history.js";
import {machineText, repeatsText} from "./notes.js";
import {decode} from "./records.js";
import {simulationSection} from "./simulations.js";
import {sizeOf} from "./statistics.js";
import {table} from "./table.js";

const data = JSON.parse(document.getElementById("perp-data").textContent);
const all = decode(data.records);

const distinct = (records, key) => [...new Set(records.map(key))].filter((v) => v !== "").sort((a, b) => a.localeCompare(b, "en", {numeric: true}));

// ---- filters

const filter = {solvers: new Set(), kinds: new Set(), low: 0, high: Infinity};

const passes = (r) => (filter.solvers.size === 0 || filter.solvers.has(r.solver)) && (filter.kinds.size === 0 || filter.kinds.has(r.kind)) &&
  sizeOf(r) >= filter.low && sizeOf(r) <= filter.high;

function chooser(title, names, chosen) {
  if (names.length < 2) return null;
  return h("details", {class: "chooser"}, h("summary", {}, title), h("div", {}, names.map((name) => h("label", {}, h("input", {
    type: "checkbox", value: name, onchange: (event) => {
      if (event.target.checked) chosen.add(name);
      else chosen.delete(name);
      show();
    }}), name))));
}

function filterBar() {
  const bound = (name, title) => h("label", {}, `${title} `, h("input", {type: "number", min: 0, size: 6, onchange: (event) => {
    filter[name] = event.target.value === "" ? (name === "low" ? 0 : Infinity) : Number(event.target.value);
    show();
  }}));
  return h("form", {class: "filters", id: "filters", onsubmit: (event) => event.preventDefault()}, h("b", {}, "Show only:"),
    chooser("solvers", distinct(all, (r) => r.solver), filter.solvers), chooser("kinds", distinct(all, (r) => r.kind), filter.kinds),
    bound("low", "size from"), bound("high", "to"), h("button", {type: "reset", onclick: () => {
      filter.solvers.clear();
      filter.kinds.clear();
      Object.assign(filter, {low: 0, high: Infinity});
      setTimeout(show);
    }}, "everything"), h("output", {id: "shown"}));
}

// ---- sections that do not depend on filters

const VERDICTS = {"holds": "all", "holds in part": "part", "does not hold": "some", "not tested": "missing"};

function claimSection(tables) {
  if (tables.length === 0) return null;
  return h("section", {id: "papers"}, h("h2", {}, "Claims of papers, beside what was measured"), tables.map((t) => [h("h3", {}, t.title), t.caption && h("p", {}, prose(t.caption)), table([
    {head: "claim", text: true, cell: (c) => h("span", {class: "wrap"}, prose(c.claim))},
    {head: "experiment", text: true, cell: (c) => h("span", {class: "wrap"}, prose(c.experiment))},
    {head: "measured", text: true, cell: (c) => h("span", {class: "wrap"}, prose(c.measured))},
    {head: "verdict", text: true, cell: (c) => h("span", {class: VERDICTS[c.verdict]}, c.verdict)},
  ], t.claims)]));
}

function tableSection(tables) {
  if (tables.length === 0) return null;
  return h("section", {id: "tables"}, h("h2", {}, "Tables of the study"), tables.map((t) => [h("h3", {}, t.title), table(
    t.head.map((head, k) => ({head, text: k === 0, cell: (row) => h("span", {}, prose(row[k]))})), t.rows), t.caption && h("p", {}, prose(t.caption)), t.missing && h("p", {class: "missing"}, t.missing)]));
}

function howSection(about) {
  if (!about) return null;
  const row = ([name, value]) => h("tr", {}, h("th", {class: "text", scope: "row"}, name), h("td", {class: "text"}, machineText(value)));
  return h("section", {id: "how"}, h("h2", {}, "How it was measured"),
    h("p", {}, `Tolerance ${about.tolerances.join(", ")} on the verifier's measure (natural residual of the problem as posed, absolute; of friction with a cone relative). `,
      `Time limit of a run: ${about.limits.join(", ")}. One thread a solve, every solve in a process of its own, every sequence in one. `,
      `Times are of setup and solve together unless it says otherwise: from the problem in memory to the answer, reductions included, verification not; ${repeatsText(all)}. `,
      "A star behind a solver's name: its times are those that the program tells of itself, without its start and the reading of the problem."),
    h("ul", {}, h("li", {}, "Times on a shared machine are noisy: compare rows of one report, and trust ratios above 1.5."),
      h("li", {}, "A ray of Lemke's method proves nothing unless M is of a class for which it does; ", h("em", {}, "infeasible"), " always carries a certificate that was checked."),
      h("li", {}, h("em", {}, "Gave up"), " says nothing for a solver: that a problem has no solution is known of its family, not from the run.")),
    h("div", {class: "scroll"}, h("table", {}, h("tbody", {}, about.machine.map(row)))),
    h("h3", {}, "Settings"), h("div", {class: "scroll"}, h("table", {}, h("tbody", {}, about.settings.map(row)))));
}

// ---- the page

const main = h("main", {});
const nav = h("nav", {"aria-label": "sections"});
const benchmark = h("div", {});
const fixed = [claimSection(data.claims), tableSection(data.tables), historySection(data.history), simulationSection(data.simulations), howSection(data.about)].filter(Boolean);

function lead() {
  const parts = [];
  if (all.length > 0) {
    parts.push(`${many(all.length, "run")} of ${many(distinct(all, (r) => r.base).length, "solver")} on ${many(new Set(all.map((r) => `${r.suite}\n${r.id}`)).size, "problem")}`,
      `${all.filter((r) => r.outcome === "solved").length} solved and verified`, `${all.filter((r) => r.outcome === "wrong").length} wrong`);
  }
  const runs = data.simulations.reduce((sum, group) => sum + group.runs.length, 0);
  if (runs > 0) parts.push(many(runs, "recorded simulation"));
  return `${parts.join("; ")}.`;
}

function show() {
  const records = all.filter(passes), chosen = records.filter((r) => r.main);
  const output = document.getElementById("shown");
  if (output) output.textContent = records.length < all.length ? `${records.length} of ${all.length} runs` : "";
  const suites = distinct(records, (r) => r.suite);
  benchmark.replaceChildren(...(all.length === 0 ? [] : [verdictSection(chosen, data.about), ...suites.map((suite) => suiteSection(suite, records.filter((r) => r.suite === suite))),
    failureSection(records), honestySection(records)]));
  nav.replaceChildren(...[...benchmark.children, ...fixed].map((section) => h("a", {href: `#${section.id}`}, section.querySelector("h2").textContent)));
}

function themeButton() {
  const names = ["as the system", "light", "dark"];
  let k = 0;
  const button = h("button", {id: "theme", title: "colours of the page", onclick: () => {
    k = (k + 1) % names.length;
    document.documentElement.dataset.theme = ["", "light", "dark"][k];
    button.textContent = `Colours: ${names[k]}`;
  }}, `Colours: ${names[0]}`);
  return button;
}

document.title = data.title;
document.body.replaceChildren(
  h("a", {class: "skip", href: "#main"}, "To the content"),
  h("header", {}, h("h1", {}, data.title), h("p", {class: "lead"}, lead()), data.left_out > 0 && h("p", {}, `${many(data.left_out, "older record")} of runs that were made again left out: same problem, solver, settings, start, tolerance and limits.`), themeButton()),
  nav, main);
main.id = "main";
if (all.length > 0) main.append(filterBar());
main.append(benchmark, ...fixed);
show();
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !(event.target instanceof HTMLInputElement)) {
    event.preventDefault();
    document.querySelector("#filters summary, #filters input")?.focus();
  }
});
