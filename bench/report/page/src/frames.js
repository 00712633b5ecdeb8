// The frames of a recorded motion.

const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;

/** A motion with its numbers unpacked. */
export function unpack(data) {
  const words = new Uint16Array(bytesOf(data.poses)), signed = new Int16Array(words.buffer);
  const moving = data.bodies.filter((body) => !body.fixed);
  return {
    ...data, moving, contacts: new Float32Array(bytesOf(data.contacts)),
    /** Position and orientation of moving body b in frame k. */
    pose(k, b, position, orientation) {
      const at = 7 * (k * moving.length + b);
      position.set(...[0, 1, 2].map((axis) => data.low[axis] + (data.size[axis] * words[at + axis]) / 65535));
      orientation.set(signed[at + 4], signed[at + 5], signed[at + 6], signed[at + 3]).normalize();
    },
  };
}

/** The last frame that is not later than t. */
export function frameAt(times, t) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (times[middle] <= t + 1e-12) low = middle;
    else high = middle - 1;
  }
  return low;
}
