// What tables and charts count. Everything is over records; a record is one solver on one problem.

export function quantile(values, q) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return NaN;
  const at = q * (sorted.length - 1), low = Math.floor(at), high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}
export const median = (values) => quantile(values, 0.5);

export function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) {
    const k = key(item);
    if (!groups.has(k)) groups.set(k, []);
    groups.get(k).push(item);
  }
  return groups;
}

/** Random numbers in [0, 1) that are the same each time the page is opened (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Wilson's interval at 95 % for k of n. */
export function wilson(k, n) {
  if (n === 0) return [0, 1];
  const z = 1.96, p = k / n, mid = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
  return [k === 0 ? 0 : Math.max(0, mid - half), k === n ? 1 : Math.min(1, mid + half)];  // those of none and all are exact, mid - half is rounded
}

const RESAMPLES = 300;

/** The 5 % and 95 % quantiles of a statistic of `count` items, drawn with replacement. @param statistic of indices */
export function bootstrap(count, statistic, resamples = RESAMPLES, seed = 1) {
  const random = randomFrom(seed), values = [];
  for (let k = 0; k < resamples; ++k) {
    const picked = Array.from({length: count}, () => Math.floor(random() * count));
    values.push(statistic(picked));
  }
  return [quantile(values, 0.05), quantile(values, 0.95)];
}

// ---- problems and the solvers that were given them

/** A table with a row for each problem that some record is of, and a column for each solver. Several problems may have one name. */
export function crossTable(records) {
  const solvers = [...new Set(records.map((r) => r.solver))].sort();
  const place = new Map(solvers.map((name, k) => [name, k]));
  const problems = [...groupBy(records, (r) => r.id).values()].map((list) => {
    const cells = Array(solvers.length).fill(null);
    for (const r of list) cells[place.get(r.solver)] = r;
    return {name: list[0].problem, first: list[0], cells};
  });
  return {solvers, problems};
}

const SIZES = [1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000, Infinity];

/** How large a problem is: contacts, if it has some, else unknowns. */
export const sizeOf = (r) => (r.contacts > 0 ? r.contacts : r.n);
const bandOf = (size) => SIZES.findIndex((limit) => size <= limit);

/** Problems of a suite, of a kind and about a size: what a verdict is about. */
export function problemClasses(records) {
  const classes = groupBy(records, (r) => [r.suite, r.kind, r.contacts > 0, bandOf(sizeOf(r))].join("\n"));
  return [...classes.values()]
    .map((list) => {
      const sizes = list.map(sizeOf);
      return {suite: list[0].suite, kind: list[0].kind, unit: list[0].contacts > 0 ? "contacts" : "unknowns",
              low: Math.min(...sizes), high: Math.max(...sizes), ...crossTable(list)};
    })
    .sort((a, b) => a.suite.localeCompare(b.suite) || a.kind.localeCompare(b.kind) || a.low - b.low);
}

/** Which solvers of a class are compared, and on which problems: on those that all of them have a record of. A refusal is an answer: who refused a problem is not
    compared. A missing record is none, since a batch may not have come there yet. So that a solver with few records does not leave hardly a problem to compare on,
    solvers are left out until more than half of the problems are shared: first whose absence adds the most, of these who has the fewest records.
    @return indices of solvers; problems; {solver, given, compared} of every willing solver that has no record of some problem */
export function comparisonOf({solvers, problems}) {
  const given = solvers.map((_, k) => problems.reduce((sum, p) => sum + (p.cells[k] ? 1 : 0), 0));
  const willing = solvers.map((_, k) => k).filter((k) => problems.every((p) => !p.cells[k]?.refused));
  const sharedBy = (list) => problems.filter((p) => list.every((k) => p.cells[k]));
  let compared = willing, shared = sharedBy(compared);
  while (compared.length > 1 && 2 * shared.length <= problems.length) {
    const rest = compared.map((k) => ({k, problems: sharedBy(compared.filter((j) => j !== k))}));
    const out = rest.reduce((a, b) => (b.problems.length - a.problems.length || given[a.k] - given[b.k]) >= 0 ? b : a);
    compared = compared.filter((k) => k !== out.k);
    shared = out.problems;
  }
  const incomplete = willing.filter((k) => given[k] < problems.length).map((k) => ({solver: solvers[k], given: given[k], compared: compared.includes(k)}));
  return {compared, problems: compared.length > 0 ? shared : [], incomplete};
}

/** The solver to use among those that are compared: of those that are right most often the one with the least geometric mean of times over the problems
    that all of these solved. */
function choose(candidates, rows) {
  const right = candidates.map((k) => rows.reduce((sum, row) => sum + (row[k].right ? 1 : 0), 0));
  const most = Math.max(...right);
  const best = candidates.filter((_, i) => right[i] === most);
  const shared = rows.filter((row) => best.every((k) => row[k].right));
  const time = (k) => shared.reduce((sum, row) => sum + Math.log(Math.max(row[k].total, 1e-7)), 0);
  return best.reduce((a, b) => (time(b) < time(a) ? b : a));
}

/** @return null if no solver is compared, or none of these is right on a problem that all of them have */
export function verdictOf(problemClass) {
  const {solvers} = problemClass, {compared: took, problems} = comparisonOf(problemClass);
  const rows = problems.map((p) => p.cells);
  if (took.length === 0 || rows.every((row) => took.every((k) => !row[k].right))) return null;
  const use = choose(took, rows);
  const random = randomFrom(problems.length), again = 200;
  let stays = 0;
  for (let k = 0; k < again; ++k) stays += choose(took, rows.map(() => rows[Math.floor(random() * rows.length)])) === use;
  const right = (k) => rows.reduce((sum, row) => sum + (row[k].right ? 1 : 0), 0);
  const fastestOf = (row) => took.filter((k) => row[k].right).reduce((a, b) => (a === null || row[b].total < row[a].total ? b : a), null);
  const wins = took.map(() => 0);
  for (const row of rows) {
    const k = fastestOf(row);
    if (k !== null) wins[took.indexOf(k)] += 1;
  }
  const fastest = took[wins.indexOf(Math.max(...wins))];
  const robust = took.reduce((a, b) => (right(b) > right(a) ? b : a), use);
  const losses = problems
    .map((p) => ({problem: p, by: fastestOf(p.cells)}))
    .filter(({problem, by}) => by !== null && by !== use && (!problem.cells[use].right || problem.cells[by].total < problem.cells[use].total / 1.1))
    .map(({problem, by}) => ({problem, by: solvers[by], fails: !problem.cells[use].right,
                              ratio: problem.cells[use].right ? Math.max(problem.cells[use].total, 1e-7) / Math.max(problem.cells[by].total, 1e-7) : Infinity}))
    .sort((a, b) => b.ratio - a.ratio);
  return {
    use: solvers[use], certainty: stays / again, problems: rows.length, right: right(use), time: median(rows.filter((row) => row[use].right).map((row) => row[use].total)),
    fastest: solvers[fastest], wins: Math.max(...wins), robust: solvers[robust], losses,
    unsolved: rows.filter((row) => took.every((k) => !row[k].right)).length, took: took.map((k) => solvers[k]),
  };
}

/** How many times the time of another solver a solver takes, as verdicts compare: the geometric mean over the problems that both were right on.
    @return {ratio, problems}; the ratio is NaN if there is no such problem */
export function ratioOf({solvers, problems}, solver, other) {
  const k = solvers.indexOf(solver), j = solvers.indexOf(other);
  const both = problems.map((p) => [p.cells[k], p.cells[j]]).filter(([a, b]) => a?.right && b?.right);
  const sum = both.reduce((total, [a, b]) => total + Math.log(Math.max(a.total, 1e-7) / Math.max(b.total, 1e-7)), 0);
  return {ratio: both.length > 0 ? Math.exp(sum / both.length) : NaN, problems: both.length};
}

const SHIFT = 1e-3;  // s

/** Geometric mean of the times, each with SHIFT added; what is not right counts as its time limit. NaN if such a run has none. Giving up on a problem that is
    known to have no solution does not count. */
export function shiftedMean(runs) {
  const times = runs.filter((r) => !r.gaveUp).map((r) => (r.right ? r.total : r.limit > 0 ? r.limit : NaN));
  return Math.exp(times.reduce((sum, t) => sum + Math.log(t + SHIFT), 0) / times.length) - SHIFT;
}

/** Each solver of a class: how often it was right, how long it took, why it failed. */
export function solversOf(problemClass) {
  const {solvers, problems} = problemClass;
  return solvers.map((solver, k) => {
    const runs = problems.map((p) => p.cells[k]).filter((r) => r);
    const taken = runs.filter((r) => !r.refused), right = taken.filter((r) => r.right);
    const times = right.map((r) => r.total);
    const reasons = [...groupBy(taken.filter((r) => !r.right), (r) => r.outcome)].map(([outcome, list]) => `${list.length} ${outcome.replaceAll("_", " ")}`);
    return {solver, runs: runs.length, refused: runs.length - taken.length, taken: taken.length, right: right.length, share: wilson(right.length, taken.length),
            time: median(times), mean: shiftedMean(taken), band: times.length > 1 ? bootstrap(times.length, (picked) => median(picked.map((i) => times[i]))) : [NaN, NaN],
            reasons: reasons.join(", "), wrong: taken.filter((r) => r.outcome === "wrong").length};
  });
}

// ---- profiles

/** Problems that every one of the solvers was given and that are not known to have no solution; without solvers that refused all. */
export function commonProblems(records) {
  const table = crossTable(records);
  const kept = table.solvers.map((_, k) => k).filter((k) => table.problems.some((p) => p.cells[k] && !p.cells[k].refused));
  const problems = kept.length === 0 ? [] : table.problems.filter((p) => !p.first.knownEnd && kept.every((k) => p.cells[k]))
    .map((p) => ({...p, cells: kept.map((k) => p.cells[k])}));
  return {solvers: kept.map((k) => table.solvers[k]), problems};
}

/** For each solver and problem the measure of a profile: a time ratio, a time, a residual; Infinity if there is none. */
export function measures({solvers, problems}, what) {
  const least = 1e-6;  // shorter times count as a microsecond
  const time = (r) => (r.right ? Math.max(r.total, least) : Infinity);
  return solvers.map((_, k) => problems.map(({cells}) => {
    if (what === "residual") return cells[k].residual === null ? Infinity : Math.max(cells[k].residual, 1e-18);
    if (what === "time") return time(cells[k]);
    const best = Math.min(...cells.map(time));
    return best === Infinity ? Infinity : time(cells[k]) / best;
  }));
}

/** What a profile is drawn from; null if there is no curve to draw: no common problem, no measure, or a ratio without a second solver. */
export function profileData(records, what) {
  const common = commonProblems(records);
  if (common.problems.length === 0 || (what === "ratio" && common.solvers.length < 2)) return null;
  const values = measures(common, what), finite = values.flat().filter(Number.isFinite);
  return finite.length > 0 ? {...common, values, finite} : null;
}

/** Steps of a profile: at x stands the fraction of problems with a measure of at most x. */
export function profile(values, names, begin, end) {
  const order = values.map((value, i) => [value, names[i]]).filter(([value]) => value <= end).sort((a, b) => a[0] - b[0]);
  const points = [{x: begin, y: 0, name: ""}];
  order.forEach(([value, name], i) => points.push({x: Math.max(value, begin), y: (i + 1) / values.length, name}));
  points.push({x: end, y: order.length / values.length, name: ""});
  return points;
}

/** The 5 % and 95 % quantiles of a profile at some x, over problems drawn with replacement. */
export function profileBand(values, grid) {
  const random = randomFrom(values.length), shares = grid.map(() => []);
  for (let k = 0; k < 100; ++k) {
    const picked = values.map(() => values[Math.floor(random() * values.length)]);
    grid.forEach((x, i) => shares[i].push(picked.reduce((sum, value) => sum + (value <= x ? 1 : 0), 0) / picked.length));
  }
  return grid.map((x, i) => ({x, low: quantile(shares[i], 0.05), high: quantile(shares[i], 0.95)}));
}
