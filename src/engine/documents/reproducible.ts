/** Times and ids that are the same in every run, so that tests can compare whole responses. */
import { Clock, createDocumentIds, type IdSource } from "./context.ts";

/** Starts at a fixed time and advances by a millisecond with each call. */
class FixedClock extends Clock {
  readonly #start: number;
  ticks = 0;

  constructor(start: number) {
    super();
    this.#start = start;
  }

  override follow(): void {}

  override now(): string {
    return new Date(this.#start + this.ticks++).toISOString();
  }
}

const hashBytes = (text: string): Uint8Array => new Bun.CryptoHasher("sha256").update(text).digest();

/** Pseudorandom ids: block `n` of their bytes is the hash of the seed and `n`. */
class SeededIds implements IdSource {
  readonly #seed: string;
  /** The number of blocks that document ids have used. */
  blocks = 0;
  /** The number of files by name. By name, since files are read concurrently and in any order. */
  files = new Map<string, number>();
  readonly documentId = createDocumentIds((count) => this.#take(count));

  constructor(seed: string) {
    this.#seed = seed;
  }

  readonly fileSuffix = (name: string): string => {
    const count = this.files.get(name) ?? 0;
    this.files.set(name, count + 1);
    return hashBytes(`${this.#seed} ${count} ${name}`).subarray(0, 5).toHex();
  };

  #take(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count; at += 32)
      bytes.set(hashBytes(`${this.#seed} ${this.blocks++}`).subarray(0, count - at), at);
    return bytes;
  }
}

/** A saved state of the clock and the ids. */
export interface ReproducibleState {
  readonly ticks: number;
  readonly blocks: number;
  readonly files: ReadonlyMap<string, number>;
}

export class Reproducible {
  readonly #now: number | undefined;
  readonly #seed: string | undefined;
  readonly clock: Clock | undefined;
  readonly ids: IdSource | undefined;
  readonly #clock: FixedClock | undefined;
  readonly #ids: SeededIds | undefined;

  /** `now` in milliseconds since 1970. The system's clock or random ids are used for what is undefined. */
  constructor(now: number | undefined, seed: string | undefined) {
    this.#now = now;
    this.#seed = seed;
    this.#clock = now === undefined ? undefined : new FixedClock(now);
    this.#ids = seed === undefined ? undefined : new SeededIds(seed);
    this.clock = this.#clock;
    this.ids = this.#ids;
  }

  /** Another one that continues independently with the same times and ids. */
  copy(): Reproducible {
    const copy = new Reproducible(this.#now, this.#seed);
    copy.restore(this.state());
    return copy;
  }

  state(): ReproducibleState {
    const { ticks = 0 } = this.#clock ?? {};
    const { blocks = 0, files = new Map<string, number>() } = this.#ids ?? {};
    return { ticks, blocks, files: new Map(files) };
  }

  /** Continues with the times and ids that followed `state()`. */
  restore({ ticks, blocks, files }: ReproducibleState): void {
    if (this.#clock) this.#clock.ticks = ticks;
    if (!this.#ids) return;
    this.#ids.blocks = blocks;
    this.#ids.files = new Map(files);
  }
}
