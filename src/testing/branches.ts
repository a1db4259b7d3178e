/** The branches of a test server by name: no more than a machine can bear, and gone when nobody uses them. */
import { servingOf } from "../kit/server-of.ts";
import { ApiError, notFound, validationError } from "../lib/errors.ts";
import type { Galley } from "../public-types.ts";
import type { Opened } from "./server.ts";

/** The project itself. */
export const MAIN = "main";
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

const MAX_BRANCHES = 500;
/** Of all databases, in bytes when they are copied. */
const MAX_BYTES = 2 * 1024 ** 3;
/** After which a branch that gets no requests is dropped. */
const UNUSED_MS = 10 * 60_000;
const LOOK_MS = 30_000;
/** How long dropping a branch waits for its running requests. */
const GRACE_MS = 5_000;

export interface BranchLimits {
  readonly count: number;
  readonly bytes: number;
  readonly unusedMs: number;
}

interface Branch extends Opened {
  readonly name: string;
  /** The branch that it is a copy of; undefined for the project. */
  readonly from: string | undefined;
  readonly bytes: number;
  usedAt: number;
  /** Requests that are being answered. */
  running: number;
}

function databaseBytes(galley: Galley): number {
  const sql = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";
  return galley.database().query<{ bytes: number }>(sql).get()!.bytes;
}

export class Branches {
  readonly #branches = new Map<string, Branch>();
  /** Names of those that are being made, and their sizes. */
  readonly #pending = new Map<string, number>();
  readonly #limits: BranchLimits;
  readonly #onOpen: (galley: Galley, name: string) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #last = 0;

  /** `onOpen` is called for the project, and for each branch. */
  constructor(main: Galley, onOpen: (galley: Galley, name: string) => void, limits: Partial<BranchLimits> = {}) {
    this.#limits = { count: MAX_BRANCHES, bytes: MAX_BYTES, unusedMs: UNUSED_MS, ...limits };
    this.#onOpen = onOpen;
    this.#add(MAIN, undefined, main, 0);
    this.#timer = setInterval(() => void this.dropUnused(), Math.min(LOOK_MS, this.#limits.unusedMs));
    this.#timer.unref();
  }

  list(): readonly Pick<Branch, "name" | "from">[] {
    return [...this.#branches.values()].filter(({ name }) => name !== MAIN).map(({ name, from }) => ({ name, from }));
  }

  #find(name: string): Branch {
    const branch = this.#branches.get(name);
    if (branch) return branch;
    throw notFound(`There is no branch ${JSON.stringify(name)}: POST /_branches makes one; unused ones are dropped`);
  }

  /** Throws a NotFoundError for an unknown branch. It is not dropped before `work` is done. */
  async use<T>(name: string, work: (branch: Opened) => Promise<T>): Promise<T> {
    const branch = this.#find(name);
    branch.running++;
    try {
      return await work(branch);
    } finally {
      branch.running--;
      branch.usedAt = performance.now();
    }
  }

  /** Rejects with a ValidationError for a name, a NotFoundError for an origin, and a ServiceUnavailableError for one too many. */
  async make(from: string, wanted: string | undefined): Promise<string> {
    const name = wanted ?? this.#nextName();
    if (!NAME.test(name))
      throw validationError("name must have 1 to 64 letters, digits, - and _, and begin with a letter or a digit");
    if (name === MAIN || this.#branches.has(name) || this.#pending.has(name))
      throw validationError(`There is a branch ${name} already`);
    await this.use(from, async ({ galley: origin }) => {
      const bytes = databaseBytes(origin);
      this.#checkRoom(bytes);
      this.#pending.set(name, bytes);
      try {
        this.#add(name, from, await origin.branch(), bytes);
      } finally {
        this.#pending.delete(name);
      }
    });
    return name;
  }

  #nextName(): string {
    do this.#last++;
    while (this.#branches.has(`branch-${this.#last}`) || this.#pending.has(`branch-${this.#last}`));
    return `branch-${this.#last}`;
  }

  #checkRoom(bytes: number): void {
    const all = [...this.#branches.values()].map((branch) => branch.bytes).concat(...this.#pending.values());
    const taken = all.reduce((sum, size) => sum + size, 0);
    const { count, bytes: most } = this.#limits;
    // the project is one of them
    if (all.length <= count && taken + bytes <= most) return;
    const reason = all.length > count ? `There are ${count} branches` : `The branches have ${taken} bytes`;
    throw new ApiError("ServiceUnavailableError", `${reason}: drop some with DELETE /_branches/NAME`);
  }

  #add(name: string, from: string | undefined, galley: Galley, bytes: number): void {
    this.#branches.set(name, { name, from, galley, snapshots: [], bytes, usedAt: performance.now(), running: 0 });
    this.#onOpen(galley, name);
  }

  /** Resolves when its files are gone. Rejects with a NotFoundError for an unknown branch. */
  async drop(name: string): Promise<void> {
    if (name === MAIN) throw validationError(`${MAIN} is the project, which stays`);
    const branch = this.#find(name);
    this.#branches.delete(name);
    servingOf(branch.galley).endStreams();
    const end = performance.now() + GRACE_MS;
    while (branch.running > 0 && performance.now() < end) await Bun.sleep(5);
    await branch.galley.close();
  }

  async dropUnused(): Promise<void> {
    const before = performance.now() - this.#limits.unusedMs;
    const unused = [...this.#branches.values()].filter(
      ({ name, running, usedAt }) => name !== MAIN && running === 0 && usedAt < before,
    );
    await Promise.all(unused.map(({ name }) => this.drop(name)));
  }

  each(work: (galley: Galley) => void): void {
    for (const { galley } of this.#branches.values()) work(galley);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const open = [...this.#branches.values()];
    this.#branches.clear();
    await Promise.all(open.map(({ galley }) => galley.close()));
  }
}
