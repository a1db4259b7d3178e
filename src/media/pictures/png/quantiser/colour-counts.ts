/** Which colours a picture has and what they weigh, in the order of the reference's hash table: all sums depend on it. */

export interface ColourCounts {
  /** Each RGBA as one number, red lowest. */
  readonly colours: Uint32Array;
  readonly weights: Float32Array;
  /** How many low bits of each channel were dropped, since there were too many colours. */
  readonly droppedBits: number;
}

/** The reference starts again with coarser colours when a bucket has to grow while there are this many. */
const MAX_COLOURS = 2 ** 17 + 2 ** 18 * 6;
/** How many colours a bucket of the reference holds when it has to grow. */
const fullBuckets = new Set([2]);
for (let room = 8; room < MAX_COLOURS; room = room * 2 + 16) fullBuckets.add(room + 2);

const weights = Float32Array.from({ length: 256 }, (_, importance) => 0.5 + importance / 255);

function bucketCount(pixels: number, droppedBits: number): number {
  const estimate = Math.min(MAX_COLOURS, Math.floor(pixels / (droppedBits + (pixels > 512 * 512 ? 5 : 4))));
  if (estimate < 66_000) return 6673;
  return estimate < 200_000 ? 12_011 : 24_019;
}

/** Fills the low bits that are dropped with the high ones. */
function coarsen(colour: number, droppedBits: number): number {
  if (droppedBits === 0) return colour;
  const kept = ((0xff >> droppedBits) << droppedBits) * 0x01010101;
  const high = ((0xff >> droppedBits) ^ 0xff) * 0x01010101;
  return ((colour & kept) | ((colour & high) >>> (8 - droppedBits))) >>> 0;
}

function grown<T extends Uint32Array | Float32Array>(from: T, Type: new (length: number) => T): T {
  const to = new Type(from.length * 2);
  to.set(from);
  return to;
}

const FIRST_BITS = 14;

/** The colours that were met, in that order. At least half of the slots are free. */
class MetColours {
  #slots: Int32Array = new Int32Array(2 ** FIRST_BITS);
  #shift = 32 - FIRST_BITS;
  #colours = new Uint32Array(2 ** FIRST_BITS);
  #weights = new Float32Array(2 ** FIRST_BITS);
  size = 0;

  /** Where the colour is, or where it belongs. */
  find(colour: number): number {
    const mask = this.#slots.length - 1;
    let slot = Math.imul(colour, 0x9e3779b1) >>> this.#shift;
    for (let place = this.placeAt(slot); place >= 0 && this.#colours[place] !== colour; place = this.placeAt(slot)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Which one the slot has; -1 for none. */
  placeAt(slot: number): number {
    return (this.#slots[slot] as number) - 1;
  }

  weigh(place: number, weight: number): void {
    this.#weights[place] = (this.#weights[place] as number) + weight;
  }

  add(slot: number, colour: number, weight: number): void {
    if (this.size === this.#colours.length) {
      this.#colours = grown(this.#colours, Uint32Array);
      this.#weights = grown(this.#weights, Float32Array);
    }
    this.#colours[this.size] = colour;
    this.#weights[this.size] = weight;
    this.#slots[slot] = ++this.size;
    if (this.size * 2 > this.#slots.length) this.#addSlots();
  }

  #addSlots(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    this.#shift--;
    for (let place = 0; place < this.size; place++) {
      this.#slots[this.find(this.#colours[place] as number)] = place + 1;
    }
  }

  /** By bucket, and within it in the order in which they were met. */
  inBuckets(buckets: number): Omit<ColourCounts, "droppedBits"> {
    const starts = new Uint32Array(buckets + 1);
    for (let place = 0; place < this.size; place++) {
      const next = ((this.#colours[place] as number) % buckets) + 1;
      starts[next] = (starts[next] as number) + 1;
    }
    for (let bucket = 1; bucket <= buckets; bucket++) {
      starts[bucket] = (starts[bucket] as number) + (starts[bucket - 1] as number);
    }
    const sorted = { colours: new Uint32Array(this.size), weights: new Float32Array(this.size) };
    for (let place = 0; place < this.size; place++) {
      const colour = this.#colours[place] as number;
      const to = starts[colour % buckets] as number;
      starts[colour % buckets] = to + 1;
      sorted.colours[to] = colour;
      sorted.weights[to] = this.#weights[place] as number;
    }
    return sorted;
  }
}

/** Undefined for too many colours. */
function tryCount(rgba: Uint8Array, importance: Uint8Array | undefined, droppedBits: number): ColourCounts | undefined {
  const pixels = rgba.length / 4;
  const buckets = bucketCount(pixels, droppedBits);
  const inBucket = new Uint32Array(buckets);
  const words = new DataView(rgba.buffer, rgba.byteOffset);
  const met = new MetColours();
  for (let pixel = 0; pixel < pixels; pixel++) {
    const weight = importance ? (weights[importance[pixel] as number] as number) : 1;
    // without alpha all colours are the same
    const colour = rgba[pixel * 4 + 3] === 0 ? 0 : coarsen(words.getUint32(pixel * 4, true), droppedBits);
    const slot = met.find(colour);
    const place = met.placeAt(slot);
    if (place >= 0) {
      met.weigh(place, weight);
      continue;
    }
    const bucket = colour % buckets;
    const held = inBucket[bucket] as number;
    if (met.size >= MAX_COLOURS && fullBuckets.has(held)) return undefined;
    inBucket[bucket] = held + 1;
    met.add(slot, colour, weight);
  }
  return { ...met.inBuckets(buckets), droppedBits };
}

/** `importance` is for each pixel, of 255. */
export function countColours(rgba: Uint8Array, importance: Uint8Array | undefined): ColourCounts {
  for (let droppedBits = 0; ; droppedBits++) {
    const counts = tryCount(rgba, importance, droppedBits);
    if (counts) return counts;
  }
}
