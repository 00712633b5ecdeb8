// Numbers as text.

const digits = (value, count) => (value === 0 ? "0" : Number(value.toPrecision(count)).toString());

/** Seconds with a fitting unit: "1.32 ms". */
export function seconds(value, count = 3) {
  if (value === null || !Number.isFinite(value)) return "–";
  if (value < 1e-6) return `${digits(value * 1e9, count)} ns`;
  if (value < 1e-3) return `${digits(value * 1e6, count)} µs`;
  if (value < 1) return `${digits(value * 1e3, count)} ms`;
  return `${digits(value, count)} s`;
}

export function residual(value) {
  if (value === null || !Number.isFinite(value)) return "–";
  return value === 0 ? "0" : value.toExponential(1);
}

export function percent(share) {
  const whole = Math.round(100 * share);  // all and nothing are told from nearly all and hardly any
  return `${share < 1 && whole === 100 ? 99 : share > 0 && whole === 0 ? "<1" : whole} %`;
}

export function number(value, count = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(count - 2) : digits(value, count);
}

/** All digits: of counts, and of their medians. */
export const exact = (value) => (Number.isFinite(value) ? `${value}` : "–");

export const many = (count, one, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

/** "31 – 100", or one number. */
export const range = (low, high) => (low === high ? `${low}` : `${low} – ${high}`);
