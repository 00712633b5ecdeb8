// The records of the page: C++ writes them as columns of numbers that refer to lists of words.

const FLAGS = {right: 1, refused: 2, knownEnd: 4, gaveUp: 8, vacuous: 16, ownTimes: 32, main: 64};

/** @param data {words: {suites: [...], ...}, columns: [...], rows: [[...], ...]} */
export function decode(data) {
  if (!data) return [];
  const place = Object.fromEntries(data.columns.map((name, k) => [name, k]));
  const word = (row, column, list) => data.words[list][row[place[column]]];
  return data.rows.map((row) => {
    const r = {
      suite: word(row, "suite", "suites"), group: word(row, "group", "groups"), problem: word(row, "problem", "problems"), kind: word(row, "kind", "kinds"),
      solver: word(row, "solver", "solvers"), base: word(row, "base", "solvers"), mode: word(row, "mode", "modes"), outcome: word(row, "outcome", "outcomes"),
      claimed: word(row, "claimed", "outcomes"), message: word(row, "message", "messages"), worst: word(row, "worst", "messages"),
      settings: word(row, "settings", "settings"), label: word(row, "label", "settings"),
      source: word(row, "source", "settings"), given: word(row, "given", "settings"), plugin: word(row, "plugin", "settings"),
      imported: word(row, "imported", "settings"),
      machine: place.machine === undefined ? "" : word(row, "machine", "machines"),  // a program may not tell it, nor the repeats
      repeats: place.repeats === undefined ? 0 : row[place.repeats],
    };
    for (const name of ["size", "n", "contacts", "position", "total", "solve", "residual", "tolerance", "asked", "limit", "iterations", "llt", "id", "memory"])
      r[name] = row[place[name]];
    const flags = row[place.flags];
    for (const [name, bit] of Object.entries(FLAGS)) r[name] = (flags & bit) !== 0;
    return r;
  });
}

const quoted = (text) => (/^[\w./=+:@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
/** An option, if it has a value. */
const option = (name, value) => (value === "" || value === undefined ? "" : ` --${name} ${quoted(`${value}`)}`);

/** The command that runs the record's solve again; with warm starts the whole sequence, since a solve begins at the answer before. */
export function command(r) {
  const settings = Object.entries(JSON.parse(r.settings || "{}")).map(([name, value]) => option("set", `${name}=${value}`)).join("");
  const plugins = r.plugin ? r.plugin.split(",").map((file) => option("plugin", file)).join("") : "";
  const program = r.imported ? `python3 -m perp${r.imported.split(",").map((file) => option("import", file)).join("")}` : "perp";
  return `${program} bench ${quoted(r.source || r.suite)}${r.mode === "warm" ? "" : option("only", r.problem)} --solvers ${quoted(r.given || r.base)}${plugins}${settings}` +
    `${r.mode === "zero" ? "" : option("start", r.mode)} --tolerance ${r.tolerance}${r.limit > 0 ? option("time-limit", r.limit) : ""}` +
    `${r.memory > 0 ? option("memory-limit", r.memory) : ""}${option("label", r.label)} -o again --overwrite`;
}
