/**
 * The budget of one request, for REST and GraphQL: what it may ask for, load, answer, and how long it may keep the main
 * thread. Whoever does the work takes from it; beyond a limit the request is refused with an error that names the limit.
 */
import { validationError } from "./errors.ts";

interface LimitRow {
  /** The default. */
  readonly most: number;
  /** What is counted, as errors name it. */
  readonly of: string;
}

/** Every limit, its default and its words. The names are the keys of `limits` in config/galley.json. */
export const limitTable = {
  /** Parameters of a query string or form. */
  parameters: { most: 1_000, of: "parameters" },
  /** Comparisons of filters and the values in their lists, and sort keys. */
  conditions: { most: 2_000, of: "conditions" },
  /** Relations that filters and sort keys go through: each may look at every link of its field. */
  joins: { most: 200, of: "relations in filters and sort" },
  /** Links that statements with more than two such relations look at: sort keys at all of a field, filters at a part of them. */
  scans: { most: 1_500_000, of: "links looked at by filters and sort" },
  /** Populated attributes, nested ones included: each is at least one statement. */
  populates: { most: 2_000, of: "populated attributes" },
  /** Rows loaded behind relations, each once however often it is answered. */
  entries: { most: 100_000, of: "related entries" },
  /** Values answered, those of shared rows as often as they are answered. */
  values: { most: 500_000, of: "values" },
  /** Characters of the values answered. */
  characters: { most: 50_000_000, of: "characters" },
  /** Entries of components and zones written, at every level: each is a row and a link, in each version of its document. */
  components: { most: 2_000, of: "component entries" },
  /** Entries and files that relations and media of written documents name. */
  links: { most: 10_000, of: "linked entries" },
  /** Passwords hashed or compared, each of which takes tens of milliseconds by design, and codes that are mailed. */
  passwords: { most: 20, of: "passwords and codes" },
  /** Work on the main thread, in milliseconds of processor time. */
  milliseconds: { most: 10_000, of: "milliseconds" },
  /** The part of it during which nobody else is served. */
  uninterrupted: { most: 900, of: "milliseconds without a break" },
} as const satisfies Readonly<Record<string, LimitRow>>;

export type LimitName = keyof typeof limitTable;
export type Limits = Readonly<Record<LimitName, number>>;

export const limitNames = Object.keys(limitTable) as LimitName[];
const limitsOf = (most: (name: LimitName) => number): Limits =>
  Object.fromEntries(limitNames.map((name) => [name, most(name)])) as Limits;

export const defaultLimits: Limits = limitsOf((name) => limitTable[name].most);

/** Spelled out, since one is made for every request. */
const nothingSpent = (): Record<LimitName, number> => ({
  parameters: 0,
  conditions: 0,
  joins: 0,
  scans: 0,
  populates: 0,
  entries: 0,
  values: 0,
  characters: 0,
  components: 0,
  links: 0,
  passwords: 0,
  milliseconds: 0,
  uninterrupted: 0,
});

/** How old a measured processor time may be, in milliseconds: asking for it takes longer than a small request's checks. */
const PRECISION = 2;
let measured = 0;
let measuredAt = Number.NEGATIVE_INFINITY;

/** Processor time of this thread, in milliseconds: unlike the time of day it is the same on a busy machine. */
function workTime(): number {
  const now = performance.now();
  if (now - measuredAt > PRECISION) {
    const { user, system } = process.threadCpuUsage();
    measured = (user + system) / 1_000;
    measuredAt = now;
  }
  return measured;
}

/** Work after which a request that can be interrupted lets others be served, in milliseconds. */
const LONG_WORK = 50;

/** Its signal is aborted when nobody waits for the answer any more. Making one takes time, so that only long reads do. */
interface Client {
  readonly signal: AbortSignal;
}

export class Budget {
  readonly #limits: Limits;
  readonly #client: Client | undefined;
  readonly #spent = nothingSpent();
  /** When the work began that goes on now; undefined while others are served. */
  #since: number | undefined;

  constructor(limits: Limits = defaultLimits, client?: Client) {
    this.#limits = limits;
    this.#client = client;
  }

  /** Throws a ValidationError when there was not as much left. */
  take(name: LimitName, amount: number): void {
    this.#spent[name] += amount;
    this.expect(name, 0);
  }

  /** A budget of what is left, for an attempt that may come to nothing. */
  fork(): Budget {
    const fork = new Budget(this.#limits, this.#client && { signal: this.#client.signal });
    Object.assign(fork.#spent, this.#spent);
    return fork;
  }

  /** A new budget for the same request, except for the time that it has worked. */
  restart(): Budget {
    const restarted = new Budget(this.#limits, this.#client && { signal: this.#client.signal });
    restarted.#spent.milliseconds = this.#spent.milliseconds;
    restarted.#since = this.#since;
    return restarted;
  }

  /** Throws when so much could not be taken. */
  expect(name: LimitName, amount: number): void {
    if (this.#spent[name] + amount > this.#limits[name]) throw this.#exceeded(name);
  }

  left(name: LimitName): number {
    return this.#limits[name] - this.#spent[name];
  }

  /** Called while rows are read and shaped. Throws a ValidationError when the request has worked for too long. */
  checkTime(): void {
    if (this.#limits.milliseconds === Number.POSITIVE_INFINITY) return;
    const now = workTime();
    this.#since ??= now;
    for (const name of ["milliseconds", "uninterrupted"] as const) {
      if (now - this.#since > this.left(name)) throw this.#exceeded(name);
    }
  }

  /** Lets other requests be answered between two steps of a long one. Throws when the client has gone. */
  async pause(): Promise<void> {
    if (this.#since !== undefined) this.#spent.milliseconds += workTime() - this.#since;
    this.#since = undefined;
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.#client?.signal.aborted) throw validationError("The client has closed the request");
    this.checkTime();
  }

  /** Whether others have waited long enough for a pause. */
  get isPauseDue(): boolean {
    return this.#since !== undefined && workTime() - this.#since > LONG_WORK;
  }

  #exceeded(name: LimitName): Error {
    const limit = this.#limits[name];
    return validationError(
      `The request exceeds its limit of ${limit} ${limitTable[name].of}: ask for less at once (limits.${name})`,
      { limit: name, max: limit },
    );
  }
}

/** For what the server and programs do themselves. */
export const unlimited = new Budget(limitsOf(() => Number.POSITIVE_INFINITY));
