// Charts of the benchmark, drawn by Observable Plot.
import * as Plot from "@observablehq/plot";
import {logTicks, shortCount, ticksOf} from "./axes.js";
import {h} from "./dom.js";
import {percent, residual, seconds} from "./format.js";
import {profileNote} from "./notes.js";
import {penOf} from "./pens.js";
import {bootstrap, groupBy, median, profile, profileBand, profileData, sizeOf} from "./statistics.js";

const WIDTH = 560, HEIGHT = 320;

// A page that is opened with #figures has the names within its charts, so that each stands alone: results/publish takes them out.
const standsAlone = () => location.hash === "#figures";

function withNames(chart, names) {
  const columns = 3, row = 18, width = WIDTH / columns, top = chart.height.baseVal.value;
  const height = top + row * Math.ceil(names.length / columns) + 6;
  chart.setAttribute("height", height);
  chart.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  chart.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  names.forEach((name, k) => {
    const pen = penOf(name), x = (k % columns) * width + 4, y = top + row * Math.floor(k / columns) + 12;
    chart.append(h("line", {x1: x, y1: y - 4, x2: x + 24, y2: y - 4, stroke: pen.colour, "stroke-width": 2.5, "stroke-dasharray": pen.dash || null}),
      h("text", {x: x + 30, y, fill: "currentColor", "font-size": 12, "font-family": "sans-serif", "text-anchor": "start"}, name));
  });
  return chart;
}

/** The marks of a logarithmic axis. Those that Plot makes by itself leave out the labels of some ticks. @param ticks none: the axis is Plot's own */
const logAxis = (axis, ticks, text, grid = null) => (ticks ? [grid && grid(ticks), axis(ticks, {text})].filter(Boolean) : []);

/** A chart with its title and a legend that leaves solvers out and puts them back. */
export function figure(title, names, draw, {note} = {}) {
  const hidden = new Set();
  const place = h("div", {class: "plot"});
  const redraw = () => {
    const chart = draw(names.filter((name) => !hidden.has(name)));
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", title);
    place.replaceChildren(standsAlone() ? withNames(chart, names) : chart);
  };
  const legend = h("div", {class: "legend"}, names.map((name) => {
    const pen = penOf(name);
    const button = h("button", {"aria-pressed": "true", onclick: () => {
      if (!hidden.delete(name)) hidden.add(name);
      button.setAttribute("aria-pressed", `${!hidden.has(name)}`);
      redraw();
    }}, h("svg", {width: 26, height: 10, "aria-hidden": "true"},
      h("line", {x1: 0, y1: 5, x2: 26, y2: 5, stroke: pen.colour, "stroke-width": 2.5, "stroke-dasharray": pen.dash || null})), name);
    return button;
  }));
  redraw();
  return h("figure", {}, h("figcaption", {}, title, note && h("small", {}, ` ${note}`)), place, names.length > 1 ? legend : null);
}

const line = (points, name, options) => Plot.line(points, {stroke: penOf(name).colour, strokeDasharray: penOf(name).dash || undefined, strokeWidth: 2, ...options});

const PROFILES = {
  ratio: {title: "Performance profile", x: "time over that of the fastest solver", log: 2, begin: 1, least: 2, most: 1e5, text: (v) => `${v.toPrecision(3)} times the fastest`},
  time: {title: "Data profile", x: "setup and solve in s", log: 10, begin: 1e-6, least: 1e-5, most: 1e6, text: seconds},
  residual: {title: "Accuracy profile", x: "residual by the verifier", log: 10, begin: 1e-18, least: 1e-8, most: 1, text: residual},
};

/** @param what "ratio", "time" or "residual"; @param name of the suite */
export function profileChart(records, what, name) {
  const data = profileData(records, what);
  if (!data) return null;
  const {solvers, problems, values, finite} = data, style = PROFILES[what], names = problems.map((p) => p.name);
  const end = Math.min(style.most, Math.max(style.least, 1.1 * finite.reduce((a, b) => Math.max(a, b), 0)));
  const begin = what === "time" ? finite.reduce((a, b) => Math.min(a, b), end) : style.begin;
  const grid = Array.from({length: 40}, (_, i) => begin * (end / begin) ** (i / 39));
  const lines = new Map(solvers.map((solver, k) => [solver, profile(values[k], names, begin, end).map((p) => ({...p, solver}))]));
  const bands = new Map(solvers.map((solver, k) => [solver, profileBand(values[k], grid)]));
  return figure(`${style.title}: ${name}`, solvers, (drawn) => Plot.plot({
    width: WIDTH, height: HEIGHT, marginLeft: 46,
    x: {type: "log", base: style.log, domain: [begin, end], label: style.x},
    y: {domain: [0, 1.02], label: "fraction of problems", grid: true},
    marks: [
      ...logAxis(Plot.axisX, logTicks(begin, end, style.log), what === "ratio" ? (v) => `${v}` : (v) => v.toExponential()),
      ...drawn.map((solver) => Plot.areaY(bands.get(solver), {x: "x", y1: "low", y2: "high", fill: penOf(solver).colour, fillOpacity: 0.1})),
      ...drawn.map((solver) => line(lines.get(solver), solver, {x: "x", y: "y", curve: "step-after"})),
      Plot.tip(drawn.flatMap((solver) => lines.get(solver)), Plot.pointer({
        x: "x", y: "y", title: (p) => `${p.solver}: ${percent(p.y)}\n${p.name ? `${p.name}: ${style.text(p.x)}` : style.text(p.x)}`})),
    ],
  }), {note: profileNote(problems.length)});
}

/** Time against size of a family or sequence: every problem a dot, medians with bands. */
export function scalingChart(records, group) {
  const list = records.filter((r) => r.group === group && !r.refused);
  const unit = list.every((r) => r.contacts > 0) ? "contacts" : "unknowns";
  const size = (r) => (unit === "contacts" ? sizeOf(r) : r.n);
  if (new Set(list.map(size)).size < 2) return null;
  const right = list.filter((r) => r.right), failed = list.filter((r) => !r.right && Number.isFinite(r.total));
  if (right.length === 0) return null;
  const bySolver = groupBy(right, (r) => r.solver), solvers = [...new Set(list.map((r) => r.solver))].sort();
  const medians = new Map(solvers.map((solver) => [solver, [...groupBy(bySolver.get(solver) ?? [], size)].map(([x, runs]) => {
    const times = runs.map((r) => r.total);
    const [low, high] = times.length > 2 ? bootstrap(times.length, (picked) => median(picked.map((i) => times[i])), 100) : [median(times), median(times)];
    return {x, y: median(times), low, high};
  }).sort((a, b) => a.x - b.x)]));
  const title = (r) => `${r.solver}, ${r.problem}\n${r.right ? seconds(r.total) : `${r.outcome.replaceAll("_", " ")} after ${seconds(r.total)}`}`;
  return figure(group, solvers, (drawn) => {
    const shown = (r) => drawn.includes(r.solver), time = (r) => Math.max(r.total, 1e-7);
    const dots = [...right, ...failed].filter(shown);
    return Plot.plot({
      width: WIDTH, height: HEIGHT, marginLeft: 52,
      x: {type: "log", label: unit}, y: {type: "log", label: "setup and solve"},
      marks: [
        ...logAxis(Plot.axisX, ticksOf(dots.map(size))?.filter(Number.isInteger), shortCount),
        ...logAxis(Plot.axisY, ticksOf(dots.map(time), 10, 6), (v) => seconds(v, 12), Plot.gridY),
        ...drawn.map((solver) => Plot.areaY(medians.get(solver), {x: "x", y1: "low", y2: "high", fill: penOf(solver).colour, fillOpacity: 0.12})),
        ...drawn.map((solver) => line(medians.get(solver), solver, {x: "x", y: "y"})),
        Plot.dot(right.filter(shown), {x: size, y: time, r: 1.8, fill: (r) => penOf(r.solver).colour, fillOpacity: 0.6}),
        Plot.dot(failed.filter(shown), {x: size, y: time, r: 3.5, symbol: "times", stroke: (r) => penOf(r.solver).colour}),
        Plot.tip(dots, Plot.pointer({x: size, y: time, title})),
      ],
    });
  }, {note: "dots: problems; crosses: not solved; lines: medians with 90 % bands"});
}

/** Times of earlier runs over those of now. @param rows {solver, label, ratio, low, high} @param runs their labels in order, the last is now */
export function historyChart(rows, runs, suite) {
  const solvers = [...new Set(rows.map((r) => r.solver))].sort();
  const lines = new Map(solvers.map((solver) => [solver, [...rows.filter((r) => r.solver === solver), {solver, label: runs.at(-1), ratio: 1, low: 1, high: 1}]]));
  return figure(`Time over versions: ${suite}`, solvers, (drawn) => {
    const points = drawn.flatMap((solver) => lines.get(solver));
    return Plot.plot({
      width: WIDTH, height: HEIGHT, marginLeft: 52,
      x: {type: "point", domain: runs, label: null}, y: {type: "log", label: "time, now = 1"},
      marks: [
        ...logAxis(Plot.axisY, ticksOf(points.flatMap((p) => [p.ratio, p.low, p.high]), 10, 6), (v) => `${v}`, Plot.gridY),
        Plot.ruleY([1], {stroke: "currentColor", strokeOpacity: 0.4}),
        ...drawn.map((solver) => line(lines.get(solver), solver, {x: "label", y: "ratio"})),
        Plot.ruleX(points.filter((p) => p.high), {x: "label", y1: "low", y2: "high", stroke: (p) => penOf(p.solver).colour, strokeOpacity: 0.5}),
        Plot.dot(points, {x: "label", y: "ratio", r: 3, fill: (p) => penOf(p.solver).colour}),
        Plot.tip(points, Plot.pointer({x: "label", y: "ratio", title: (p) => `${p.solver}, ${p.label}\n${p.ratio.toPrecision(3)} times the time of now`})),
      ],
    });
  }, {note: "problems that both runs solved; bars: bands"});
}

/** The domains of two axes and the height of the chart. What varies by less than a part in 10^9 is a constant. @param equal a metre is as long along both */
function frame(points, equal) {
  const extent = (name) => {
    const low = points.reduce((a, p) => Math.min(a, p[name]), Infinity), high = points.reduce((a, p) => Math.max(a, p[name]), -Infinity);
    return high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)) ? [low, high] : [low, low];
  };
  const padded = ([low, high], least) => {
    const more = high > low ? 0.03 * (high - low) : 0.5 * least;
    return [low - more, high + more];
  };
  const x = extent("x"), y = extent("y"), spans = [x[1] - x[0], y[1] - y[0]];
  if (!equal) return {x: spans[0] > 0 ? x : padded(x, 1), y: padded(y, Math.abs(y[0]) || 1), height: HEIGHT};
  const least = Math.max(...spans) || 1;
  const box = {x: padded(x, least), y: padded(y, least), stretched: false};
  const inner = [WIDTH - 80, HEIGHT - 50];
  const height = (inner[0] * (box.y[1] - box.y[0])) / (box.x[1] - box.x[0]);
  if (height >= 90 && height <= inner[1]) return {...box, height: height + 50};
  if (height > inner[1] && height < 4 * inner[1]) {  // room at the sides
    const width = (inner[0] * (box.y[1] - box.y[0])) / inner[1], middle = (box.x[0] + box.x[1]) / 2;
    return {...box, x: [middle - width / 2, middle + width / 2], height: HEIGHT};
  }
  return {...box, stretched: true, height: HEIGHT};
}

/** Lines of one colour a name: simulations over time. @param series [{name, x, y}] */
export function seriesChart(title, series, {x, y, log = false, equal = false, guide = []}) {
  const colour = (k) => ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c"][k % 7];
  const pens = new Map(series.map((s, k) => [s.name, {stroke: colour(k), strokeDasharray: ["", "7 3", "2 3", "9 3 2 3"][Math.floor(k / 7) % 4] || undefined}]));
  const points = (s) => s.x.map((value, i) => ({x: value, y: s.y[i], name: s.name})).filter((p) => Number.isFinite(p.y) && (!log || p.y > 0));
  const drawn = [...series, ...guide].map(points), all = drawn.flat();
  if (all.length === 0) return null;
  const box = frame(all, equal);
  const chart = Plot.plot({
    width: WIDTH, height: box.height, marginLeft: 60,
    x: {label: box.stretched ? `${x} (stretched)` : x, domain: box.x}, y: {label: y, ...(log ? {type: "log"} : {domain: box.y, grid: true})},
    marks: [
      ...(log ? logAxis(Plot.axisY, ticksOf(all.map((p) => p.y), 10, 6), (v) => `${v}`, Plot.gridY) : []),
      ...guide.map((s, k) => Plot.line(drawn[series.length + k], {x: "x", y: "y", stroke: "currentColor", strokeOpacity: 0.5, strokeWidth: 1})),
      ...series.map((s, k) => Plot.line(drawn[k], {x: "x", y: "y", strokeWidth: 1.8, ...pens.get(s.name)})),
      equal ? Plot.dot(series.map((s, k) => drawn[k][0]).filter(Boolean), {x: "x", y: "y", r: 4, fill: (p) => pens.get(p.name).stroke}) : null,
      Plot.tip(all, Plot.pointer({x: "x", y: "y", title: (p) => `${p.name}\n${x}: ${p.x.toPrecision(5)}\n${y}: ${p.y.toPrecision(5)}`})),
    ],
  });
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", title);
  const legend = [...series, ...guide].map((s) => h("span", {}, h("svg", {width: 26, height: 10, "aria-hidden": "true"},
    h("line", {x1: 0, y1: 5, x2: 26, y2: 5, stroke: pens.get(s.name)?.stroke ?? "currentColor", "stroke-width": 2, "stroke-dasharray": pens.get(s.name)?.strokeDasharray ?? null})), s.name));
  return h("figure", {}, h("figcaption", {}, title), h("div", {class: "plot"}, chart), h("div", {class: "legend"}, series.length + guide.length > 1 ? legend : []));
}
