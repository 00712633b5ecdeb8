// Recorded simulations: what their runs differ in, over time and in space.
import {seriesChart} from "./charts.js";
import {h, prose, whenSeen} from "./dom.js";
import {exact, many, number, seconds} from "./format.js";
import {replay} from "./replay.js";
import {table} from "./table.js";

const LARGEST_GROUP = 14;  // runs in one chart: so many lines can be told apart

// Median and largest value over the steps of a run, as {median, most}; null if there are none.
const ofSteps = (of, text) => (of ? `${text(of.median)} / ${text(of.most)}` : "–");

/** Charts as C++ asks for them: {title, x, y, log, equal, series: [{name, x, y}], guide: [...]} */
function charts(group) {
  return group.charts.map((c) => seriesChart(c.title, c.series.slice(0, LARGEST_GROUP), {x: c.x, y: c.y, log: c.log, equal: c.equal, guide: c.guide})).filter(Boolean);
}

function runTable(group) {
  const ends = (values) => (values.length > 0 ? `${number(values[0], 5)} → ${number(values.at(-1), 5)}` : "–");
  return table([
    {head: "run", text: true, cell: (r) => r.name},
    {head: "scene", text: true, cell: (r) => r.scene},
    ...group.differs.filter((name) => name !== "scene").map((name) => ({head: name === "h" ? "h in s" : name, cell: (r) => r.settings[name] ?? "–"})),
    {head: "steps", cell: (r) => exact(r.steps), sort: (r) => r.steps},
    {head: "failed", cell: (r) => h("span", {class: r.failed > 0 ? "some" : null}, r.failed > 0 ? `${r.failed}` : "")},
    {head: "relaxed", cell: (r) => (r.relaxed > 0 ? `${r.relaxed}` : "")},
    {head: "wall", cell: (r) => seconds(r.wall), sort: (r) => r.wall},
    {head: "contacts, median and most", cell: (r) => ofSteps(r.contacts, exact), sort: (r) => r.contacts?.most},
    {head: "iterations", cell: (r) => ofSteps(r.iterations, exact), sort: (r) => r.iterations?.median},
    {head: "solve, a step", cell: (r) => ofSteps(r.solve, seconds), sort: (r) => r.solve?.median},
    {head: "kinetic energy in J", cell: (r) => ends(r.kinetic)},
    {head: "total energy in J", cell: (r) => ends(r.total)},
    ...group.measures.map((name, k) => ({head: name, cell: (r) => number(r.measures[k], 3), sort: (r) => r.measures[k]})),
    {head: "notes", text: true, cell: (r) => h("span", {class: "wrap"}, r.notes)},
  ], group.runs);
}

function finalPositions(group) {
  const rows = group.runs.flatMap((run) => run.bodies.slice(0, 60).map((body) => ({run: run.label, body: body.name, p: body.last})));
  if (rows.length === 0) return null;
  return h("details", {}, h("summary", {}, "Final positions"), table([
    {head: "body", text: true, cell: (r) => r.body}, {head: "run", text: true, cell: (r) => r.run},
    ...["x", "y", "z"].map((axis, k) => ({head: `${axis} in m`, cell: (r) => number(r.p[k], 6), sort: (r) => r.p[k]})),
  ], rows, {by: "body"}));
}

function groupPart(group) {
  const figures = h("div", {class: "figures"});
  return h("article", {class: "simulation"}, h("h3", {}, group.title), group.caption && h("p", {}, prose(group.caption)),
    group.runs.length > LARGEST_GROUP && h("p", {}, `Drawn are the first ${LARGEST_GROUP} of ${many(group.runs.length, "run")}.`),
    whenSeen(figures, () => figures.append(...charts(group))), replay(group), runTable(group), finalPositions(group));
}

export function simulationSection(groups) {
  if (groups.length === 0) return null;
  return h("section", {id: "simulations"}, h("h2", {}, "Simulations"),
    h("p", {}, "Runs recorded by ", h("code", {}, "perp simulate --record"), "; runs in one folder are drawn together, and labelled by what they differ in. Energies are sums over the bodies, at the ends of the steps; ",
      "if steps are many, contacts, iterations and times are drawn as medians of neighbouring steps."),
    groups.map(groupPart));
}
