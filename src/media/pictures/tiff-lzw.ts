/** The LZW compression of TIFF files: the highest bit first, and codes that grow one early. */

const CLEAR = 256;
const END = 257;
const MAX_CODES = 4096;

function* codesOf(bytes: Uint8Array, state: { width: number }): Generator<number> {
  let [bits, held] = [0, 0];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffffff;
    held += 8;
    if (held < state.width) continue;
    held -= state.width;
    yield (bits >>> held) & ((1 << state.width) - 1);
  }
}

/** At most `limit` bytes; what is broken ends the data. */
export function inflateLzw(bytes: Uint8Array, limit: number): Uint8Array {
  const prefixes = new Uint16Array(MAX_CODES);
  const suffixes = new Uint8Array(MAX_CODES);
  for (let code = 0; code < CLEAR; code++) suffixes[code] = code;
  const output = new Uint8Array(limit);
  const stack = new Uint8Array(MAX_CODES);
  const state = { width: 9 };
  let [next, last, first, out] = [END + 1, -1, 0, 0];
  for (const code of codesOf(bytes, state)) {
    if (code === END || out === limit) break;
    if (code === CLEAR) {
      state.width = 9;
      next = END + 1;
      last = -1;
      continue;
    }
    if (code > next || (last < 0 && code >= CLEAR)) break;
    let depth = 0;
    let at = code;
    // the entry that this very code adds: the last one and its own beginning once more
    if (code === next) {
      stack[depth++] = first;
      at = last;
    }
    // each prefix is an earlier entry, so that this ends
    for (; at > END; at = prefixes[at] as number) stack[depth++] = suffixes[at] as number;
    first = suffixes[at] as number;
    stack[depth++] = first;
    while (depth > 0 && out < limit) output[out++] = stack[--depth] as number;
    if (last >= 0 && next < MAX_CODES) {
      prefixes[next] = last;
      suffixes[next] = first;
      next++;
      if (next + 1 >= 1 << state.width && state.width < 12) state.width++;
    }
    last = code;
  }
  return output.subarray(0, out);
}
