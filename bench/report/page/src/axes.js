// Ticks of logarithmic axes. Those of d3 have no labels on narrow ranges, or the same label several times once these are rounded.

/** The least step of 1, 2 or 5 times a power of ten that is not below `least`. */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least)), times = least / power;
  return power * (times <= 1 + 1e-9 ? 1 : times <= 2 + 1e-9 ? 2 : times <= 5 + 1e-9 ? 5 : 10);  // 0.6 / 6 is above 0.1
}

const exact = (value) => Number(value.toPrecision(12));  // 3 * 0.1 is 0.3

/** Round numbers from `low` to `high`, both above 0: powers of the base if there are at least three, else numbers of equal or of growing distance. */
export function logTicks(low, high, base = 10, most = 7) {
  if (!(low > 0) || !(high >= low) || !Number.isFinite(high)) return [];
  if (low === high) return [low];
  const first = Math.ceil(Math.log(low) / Math.log(base) - 1e-9), last = Math.floor(Math.log(high) / Math.log(base) + 1e-9);
  const count = last - first + 1;
  if (count >= 3) {
    const step = Math.ceil(count / most);
    const powers = Array.from({length: count}, (_, i) => first + i).filter((k) => k % step === 0);
    return powers.map((k) => exact(base ** k));
  }
  if (high >= 10 * low) {
    const decades = Array.from({length: 4}, (_, i) => Math.floor(Math.log10(low)) + i);
    return decades.flatMap((k) => [1, 2, 5].map((times) => exact(times * 10 ** k))).filter((value) => value >= low && value <= high);
  }
  const step = niceStep((high - low) / (most - 1)), begin = Math.ceil(low / step - 1e-9), end = Math.floor(high / step + 1e-9);
  return Array.from({length: end - begin + 1}, (_, i) => exact((begin + i) * step));
}

/** A count on an axis: "1.5k" */
export const shortCount = (value) => (value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : `${value}`);

/** Ticks for these values; undefined (so that the chart chooses) if none is above 0. */
export function ticksOf(values, base = 10, most = 7) {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (positive.length === 0) return undefined;
  return logTicks(positive.reduce((a, b) => Math.min(a, b)), positive.reduce((a, b) => Math.max(a, b)), base, most);
}
