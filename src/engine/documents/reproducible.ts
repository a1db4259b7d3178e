/** A clock that can be set, and ids that are the same in every run, so that tests can compare whole responses. */
import { SettableClock } from "../../lib/clock.ts";
import { createDocumentIds, type IdSource } from "./context.ts";

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
  /** In milliseconds since 1970; undefined: the machine's. */
  readonly time: number | undefined;
  readonly blocks: number;
  readonly files: ReadonlyMap<string, number>;
}

export class Reproducible {
  readonly clock = new SettableClock();
  readonly ids: IdSource | undefined;
  readonly #seed: string | undefined;
  readonly #ids: SeededIds | undefined;

  /** `now` in milliseconds since 1970. The system's clock or random ids are used for what is undefined. */
  constructor(now: number | undefined, seed: string | undefined) {
    if (now !== undefined) this.clock.set(now);
    this.#seed = seed;
    this.#ids = seed === undefined ? undefined : new SeededIds(seed);
    this.ids = this.#ids;
  }

  /** Another one that continues independently with the same times and ids. */
  copy(): Reproducible {
    const copy = new Reproducible(undefined, this.#seed);
    copy.restore(this.state());
    return copy;
  }

  state(): ReproducibleState {
    const { blocks = 0, files = new Map<string, number>() } = this.#ids ?? {};
    return { time: this.clock.stands ? this.clock.now() : undefined, blocks, files: new Map(files) };
  }

  /** Continues with the times and ids that followed `state()`. */
  restore({ time, blocks, files }: ReproducibleState): void {
    this.clock.set(time);
    if (!this.#ids) return;
    this.#ids.blocks = blocks;
    this.#ids.files = new Map(files);
  }
}
