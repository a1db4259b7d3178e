/** The GNU C library's rand(), with which the reference starts dithering off. */
const MAX = 0x7fffffff;
const TERMS = 31;

/** Numbers from -1/2 to 1/2. */
export function createRandom(seed: number): () => number {
  const state = new Int32Array(TERMS);
  state[0] = seed;
  for (let at = 1; at < TERMS; at++) state[at] = (16807 * (state[at - 1] as number)) % MAX;
  let [front, back] = [3, 0];
  const next = (): number => {
    const sum = (state[front] as number) + (state[back] as number);
    state[front] = sum;
    front = (front + 1) % TERMS;
    back = (back + 1) % TERMS;
    return sum >>> 1;
  };
  for (let turn = 0; turn < TERMS * 10; turn++) next();
  return () => (next() - MAX / 2) / MAX;
}
