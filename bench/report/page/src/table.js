// Tables that are sorted by their heads, leave out columns that say nothing, and show long lists in parts.
import {h} from "./dom.js";

const PART = 200;  // rows that are shown at first

const textOf = (cell) => (cell instanceof Node ? cell.textContent : `${cell ?? ""}`);
const isEmpty = (cell) => ["", "–"].includes(textOf(cell).trim());

/**
 * @param columns [{head, cell: row => text or element, sort: row => number or text, text: true if it is words, title}]
 * @param rows anything
 * @return an element
 */
export function table(columns, rows, {caption, by = null, falling = false} = {}) {
  const shownColumns = columns.filter((column) => rows.some((row) => !isEmpty(column.cell(row))));
  if (rows.length === 0 || shownColumns.length === 0) return h("p", {class: "none"}, "Nothing to show.");
  let order = {by, falling}, limit = PART;
  const body = h("tbody"), more = h("p", {class: "more"});
  const sorted = () => {
    const column = shownColumns.find((c) => c.head === order.by);
    if (!column) return rows;
    const key = column.sort ?? ((row) => textOf(column.cell(row)));
    const sign = order.falling ? -1 : 1;
    return rows.map((row, i) => [key(row), i, row]).sort(([a, i], [b, j]) => {
      const none = (v) => v === null || v === undefined || Number.isNaN(v);
      if (none(a) || none(b)) return none(a) - none(b) || i - j;  // what is missing comes last either way
      return (typeof a === "string" ? sign * a.localeCompare(b, "en", {numeric: true}) : sign * (a - b)) || i - j;
    }).map(([, , row]) => row);
  };
  const fill = () => {
    body.replaceChildren(...sorted().slice(0, limit).map((row) => h("tr", {},
      ...shownColumns.map((column) => h("td", {class: column.text ? "text" : null}, column.cell(row))))));
    more.replaceChildren(...(rows.length > limit ? [`${limit} of ${rows.length} rows. `, h("button", {onclick: () => { limit = Infinity; fill(); }}, "Show all")] : []));
  };
  const heads = shownColumns.map((column) => {
    const head = h("th", {class: column.text ? "text" : null, title: column.title, "aria-sort": "none"},
      h("button", {onclick: () => {
        order = {by: column.head, falling: order.by === column.head && !order.falling};
        heads.forEach((other) => other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", order.falling ? "descending" : "ascending");
        fill();
      }}, column.head));
    return head;
  });
  fill();
  return h("div", {class: "scroll"}, h("table", {}, caption && h("caption", {}, caption), h("thead", {}, h("tr", {}, ...heads)), body), more);
}
