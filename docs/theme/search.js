// Looks through search_index.js, which is loaded when the reader first goes to the field. All words must
// be in a section; words in headings count more.
"use strict";
(() => {
  const field = document.getElementById("search"), found = document.getElementById("found");
  const base = field.dataset.base;
  let rows = null, chosen = -1;

  function load() {
    if (rows) return;
    rows = [];
    const script = document.createElement("script");
    script.src = base + "/search_index.js";
    script.onload = () => {
      rows = perpIndex.map(([page, anchor, title, heading, text]) => ({
        page, anchor, title, heading, text, head: (title + " " + heading).toLowerCase(), low: text.toLowerCase()}));
      show();
    };
    document.head.append(script);
  }

  function worth(row, words) {
    let sum = 0;
    for (const word of words) {
      const inHeading = row.heading.toLowerCase().includes(word), inHead = row.head.includes(word);
      const times = row.low.split(word).length - 1;
      if (!inHead && times === 0) return 0;
      sum += (inHeading ? 20 : 0) + (inHead ? 10 : 0) + Math.min(times, 5);
    }
    return sum;
  }

  function excerpt(row, words) {
    const at = Math.max(0, ...words.map((word) => row.low.indexOf(word)));
    const begin = Math.max(0, at - 60);
    return (begin > 0 ? "… " : "") + row.text.slice(begin, begin + 160) + (row.text.length > begin + 160 ? " …" : "");
  }

  function element(kind, text) {
    const made = document.createElement(kind);
    made.textContent = text;
    return made;
  }

  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.hidden = words.length === 0;
    chosen = -1;
    const hits = rows.map((row) => [worth(row, words), row]).filter(([value]) => value > 0);
    hits.sort((a, b) => b[0] - a[0]);
    found.replaceChildren(...hits.slice(0, 20).map(([, row]) => {
      const link = element("a", "");
      link.href = base + "/" + row.page + (row.anchor ? "#" + row.anchor : "");
      link.append(element("b", row.heading), row.heading === row.title ? "" : " · " + row.title, element("small", excerpt(row, words)));
      return link;
    }));
    if (hits.length === 0) found.append(element("p", "Nothing has all of these words."));
  }

  field.addEventListener("focus", load);
  field.addEventListener("input", () => { load(); show(); });
  field.addEventListener("keydown", (event) => {
    const links = [...found.querySelectorAll("a")];
    if (event.key === "Escape") { field.value = ""; show(); }
    if (event.key === "Enter" && links.length > 0) location.href = links[Math.max(0, chosen)].href;
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    chosen = Math.min(links.length - 1, Math.max(0, chosen + (event.key === "ArrowDown" ? 1 : -1)));
    links.forEach((link, k) => link.classList.toggle("chosen", k === chosen));
    links[chosen]?.scrollIntoView({block: "nearest"});
  });
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) found.hidden = true; });
})();
