/** Repairs assignments to constants, which the compiler refuses, and which in Strapi throw when they run. */
import { readFileSync } from "node:fs";
import type { BunPlugin } from "bun";

export interface BuildLog {
  readonly level?: string;
  readonly message: string;
  /** `offset` in bytes. */
  readonly position?: {
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly offset: number;
  } | null;
}

/** Name of a global object that throws on assignment. Assignments to constants are redirected to it. */
const CONSTANTS = "__galley_constants__";

const constants: object = new Proxy(
  {},
  {
    set: () => {
      throw new TypeError("Assignment to constant variable.");
    },
  },
);

const CONSTANT = /^Cannot assign to "(.+)" because it is a constant$/;

export class Repairs {
  /** Names of constants by the offset of their assignment, by file. */
  readonly #files = new Map<string, Map<number, string>>();

  constructor() {
    Object.assign(globalThis, { [CONSTANTS]: constants });
  }

  /** Adds the repair of an error. False for other errors, and for one that the repair did not help against. */
  add(file: string, { message, position }: BuildLog): boolean {
    const [, constant] = CONSTANT.exec(message) ?? [];
    const assignments = this.#files.getOrInsertComputed(file, () => new Map());
    if (constant === undefined || !position || assignments.has(position.offset)) return false;
    assignments.set(position.offset, constant);
    return true;
  }

  readonly plugin: BunPlugin = {
    name: "repairs",
    setup: (build) => {
      const names = [...this.#files.keys()].map((file) => RegExp.escape(file));
      if (names.length === 0) return;
      build.onLoad({ filter: new RegExp(`^(?:${names.join("|")})$`) }, ({ path }) => ({
        contents: this.#repaired(path),
      }));
    },
  };

  #repaired(file: string): string {
    let source = readFileSync(file);
    // from the end, so that earlier offsets stay valid
    for (const [offset, name] of [...this.#files.get(file)!].sort(([a], [b]) => b - a)) {
      const target = Buffer.from(`globalThis.${CONSTANTS}.${name}`);
      source = Buffer.concat([source.subarray(0, offset), target, source.subarray(offset + Buffer.byteLength(name))]);
    }
    return source.toString();
  }
}
