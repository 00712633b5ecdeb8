// Elements without strings of HTML: what a record says is always text.

const SVG = new Set(["svg", "path", "line", "circle", "text", "g", "rect"]);

/** h("td", {class: "right", onclick: f}, "text", element, ...): an element. */
export function h(tag, attributes = {}, ...children) {
  const element = SVG.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Text in which `...` are names, as code. */
export function prose(text) {
  return text.split(/(`[^`]*`)/).map((part) => (part.length > 1 && part.startsWith("`") && part.endsWith("`") ? h("code", {}, part.slice(1, -1)) : part));
}

/** Calls `draw` when the element comes near the window, or before the page is printed. */
export function whenSeen(element, draw) {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    observer.disconnect();
    window.removeEventListener("beforeprint", once);
    draw(element);
  };
  const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && once(), {rootMargin: "400px"});
  if (location.hash === "#figures") queueMicrotask(once);
  observer.observe(element);
  window.addEventListener("beforeprint", once);
  return element;
}
