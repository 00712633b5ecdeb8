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
      settings: word(row, "settings", "settings"),
    };
    for (const name of ["size", "n", "contacts", "position", "total", "solve", "residual", "tolerance", "asked", "limit", "iterations", "llt"])
      r[name] = row[place[name]];
    const flags = row[place.flags];
    for (const [name, bit] of Object.entries(FLAGS)) r[name] = (flags & bit) !== 0;
    return r;
  });
}

/** The command that runs the record's solve again. */
export function command(r) {
  const quoted = (text) => (/^[\w./=+:@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const settings = Object.entries(JSON.parse(r.settings || "{}")).map(([name, value]) => ` --set ${quoted(`${name}=${value}`)}`).join("");
  const start = r.mode === "zero" ? "" : ` --start ${r.mode}`;
  const limit = r.limit > 0 ? ` --time-limit ${r.limit}` : "";
  return `perp bench ${quoted(r.suite)} --only ${quoted(r.problem)} --solvers ${quoted(r.base)}${settings}${start} --tolerance ${r.tolerance}${limit} -o again`;
}
