// The colour and dashes of a solver: the same in every report. New names go to the end of the list.
// Colours are those of Okabe and Ito, which can be told apart by the colour-blind; yellow, which is too pale for a line, is left out.
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c"];
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "14 4", "4 2", "12 3 2 3 2 3"];

const NAMES = [
  "auto", "newton-fb", "lemke", "interior-point", "gradient-projection", "pgs", "nsgs",
  "proximal-newton", "newton-ac", "josephy-newton", "sap", "admm", "newton-min", "enumerate",
  "siconos-lemke", "petsc-ssils-gmres", "dart-pgs", "siconos-nsgs", "bullet-pgs", "siconos-prox", "bullet-dantzig",
  "ipopt", "siconos-newton-min-fb", "petsc-asils-gmres", "siconos-nsn-fb", "petsc-gpcg", "siconos-nsn-ac", "dart-dantzig",
  "siconos-pgs", "petsc-ssils-lu", "petsc-asils-lu", "siconos-admm",
];

const hash = (text) => [...text].reduce((sum, c) => (Math.imul(sum, 31) + c.codePointAt(0)) >>> 0, 7);

/** @param name as in tables: the label, start and settings behind the solver's own name count as well */
export function penOf(name) {
  const base = name.replace(/[ ,(*:].*$/, "");
  const place = name === base || name === `${base}*` ? NAMES.indexOf(base) : -1;
  const k = place >= 0 ? place : hash(name) % (COLOURS.length * DASHES.length);
  return {colour: COLOURS[k % COLOURS.length], dash: DASHES[Math.floor(k / COLOURS.length) % DASHES.length]};
}
