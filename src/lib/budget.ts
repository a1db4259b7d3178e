/**
 * The budget of one request, for REST and GraphQL: limits for its query, the loaded data, the response, and the time on the
 * main thread. The code that does the work takes from it; beyond a limit, the request is refused with an error that names it.
 */
import type { Tags } from "./cache-tags.ts";
import { validationError } from "./errors.ts";

// as it is now: tests replace the clock
const { setImmediate } = globalThis;

interface LimitRow {
  /** The default. */
  readonly max: number;
  /** What is counted, for error messages. */
  readonly unit: string;
}

/** All limits with their defaults. The names are the keys of `limits` in config/galley.json. */
const limitTable = {
  /** Parameters of a query string or form. */
  parameters: { max: 1_000, unit: "parameters" },
  /** Comparisons of filters and the values in their lists, and sort keys. */
  conditions: { max: 2_000, unit: "conditions" },
  /** Relations that filters and sort keys follow: each may scan all links of its field. */
  joins: { max: 200, unit: "relations in filters and sort" },
  /** Links scanned by statements with more than two such relations: sort keys scan all of a field, filters a fraction. */
  scans: { max: 1_500_000, unit: "links looked at by filters and sort" },
  /** Populated attributes, including nested ones: each takes at least one statement. */
  populates: { max: 2_000, unit: "populated attributes" },
  /** Rows loaded behind relations; shared rows count once. */
  entries: { max: 100_000, unit: "related entries" },
  /** Values in the response; those of shared rows count each time. */
  values: { max: 500_000, unit: "values" },
  /** Characters of the values in the response. */
  characters: { max: 50_000_000, unit: "characters" },
  /** Characters that the response to a caller without credentials has at several paths of `populate` or under several aliases. */
  publicCharacters: { max: 2_000_000, unit: "characters of repeated entries without credentials" },
  /** Written entries of components and zones, at all levels: each is a row and a link in each version of its document. */
  components: { max: 2_000, unit: "component entries" },
  /** Targets in relations and media of written documents. */
  links: { max: 10_000, unit: "linked entries" },
  /** Passwords that are hashed or compared, which takes tens of milliseconds each, and mailed codes. */
  passwords: { max: 20, unit: "passwords and codes" },
  /** Work on the main thread, in milliseconds of processor time. */
  milliseconds: { max: 10_000, unit: "milliseconds" },
  /** Work without a pause in which other requests are served. */
  uninterrupted: { max: 250, unit: "milliseconds without a break" },
} as const satisfies Readonly<Record<string, LimitRow>>;

export type LimitName = keyof typeof limitTable;
export type Limits = Readonly<Record<LimitName, number>>;

export const limitNames = Object.keys(limitTable) as LimitName[];
const createLimits = (readLimit: (name: LimitName) => number): Limits =>
  Object.fromEntries(limitNames.map((name) => [name, readLimit(name)])) as Limits;

export const defaultLimits: Limits = createLimits((name) => limitTable[name].max);

const NOTHING_SPENT: Limits = createLimits(() => 0);

/** How long a measured processor time is cached, in milliseconds: measuring takes longer than the checks of a small request. */
const CPU_TIME_TTL_MS = 2;
let cpuTime = 0;
let cpuTimeReadAt = Number.NEGATIVE_INFINITY;

/** Processor time of this thread, in milliseconds: unlike wall-clock time, it does not depend on the load of the machine. */
function threadCpuTime(): number {
  const now = performance.now();
  if (now - cpuTimeReadAt > CPU_TIME_TTL_MS) {
    const { user, system } = process.threadCpuUsage();
    cpuTime = (user + system) / 1_000;
    cpuTimeReadAt = now;
  }
  return cpuTime;
}

/** After this much work, in milliseconds, a request that can pause lets others be served. */
const PAUSE_AFTER_MS = 50;

let turn = 0;
let isTurnCounted = false;
/** The processor time at which it was counted. */
let turnStartedAt = 0;

/** The turn of the event loop: in each, other requests may have been served. */
function currentTurn(): number {
  if (!isTurnCounted) {
    isTurnCounted = true;
    turnStartedAt = threadCpuTime();
    setImmediate(() => {
      turn++;
      isTurnCounted = false;
    });
  }
  return turn;
}

/** The last turn that something waits for. */
let lastTurn = Promise.resolve();

/** Each caller gets a turn of its own, in which it must not wait before it works. */
function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return lastTurn;
}

/**
 * Called before work that may take tens of milliseconds; a promise if requests have worked for long in this turn: many that arrive
 * together would keep all others waiting.
 */
export function turnForWork(): Promise<void> | undefined {
  currentTurn();
  return threadCpuTime() - turnStartedAt > PAUSE_AFTER_MS ? nextTurn() : undefined;
}

/** All requests that are parsed piece by piece have this much work in a turn of the event loop, in milliseconds. */
const PARSE_MS = 10;
/** When the parsing of the current turn began; undefined: nothing was parsed. */
let parsingSince: number | undefined;
const waitingParsers: (() => void)[] = [];

function beginParsing(): number {
  setImmediate(() => {
    parsingSince = undefined;
    const next = waitingParsers.shift();
    if (!next) return;
    parsingSince = beginParsing();
    next();
  });
  return threadCpuTime();
}

/**
 * Called between pieces of work; a promise when a turn of the event loop is due, by processor time. Those of several requests
 * come one after another, however many are parsed.
 */
export function parsingTurn(): Promise<void> | undefined {
  parsingSince ??= beginParsing();
  if (threadCpuTime() - parsingSince < PARSE_MS) return undefined;
  return new Promise((resolve) => waitingParsers.push(resolve));
}

/**
 * What a long request has loaded stays in memory until its response is built: so many steps run at once, and the others wait.
 * Steps that end a request, and so release memory, come first.
 */
const MAX_LONG_STEPS = 2;
let longSteps = 0;
const waitingSteps = { last: [] as (() => void)[], any: [] as (() => void)[] };

/** The longest work without a pause of a read that would not end otherwise, since content keeps changing. */
const LONG_TURN_MS = 900;

/** Who sent the request. */
interface Client {
  /** The signal is aborted when the client disconnects. Creating it takes time, so only long reads do. */
  readonly request?: { readonly signal: AbortSignal } | undefined;
  /** Without credentials. */
  readonly isPublic?: boolean;
  /** What the response depends on is collected there. */
  readonly tags?: Tags | undefined;
}

export class Budget {
  #limits: Limits;
  readonly #client: Client;
  readonly #spent: Record<LimitName, number> = { ...NOTHING_SPENT };
  /** Ids of returned rows by place. */
  readonly #returned = new Map<string, Set<number>>();
  /** Start of the current work; undefined while others are served. */
  #startedAt: number | undefined;
  /** When the time of the current work was checked last, and in which turn. */
  #checkedAt = 0;
  #turn = 0;
  /** Steps that pause. */
  #pauses = 0;
  /** What the response depends on, if it is collected. */
  readonly tags: Tags | undefined;

  constructor(limits: Limits = defaultLimits, client: Client = {}) {
    this.#limits = limits;
    this.#client = client;
    this.tags = client.tags;
  }

  /** Throws a ValidationError if less is left. */
  take(name: LimitName, amount: number): void {
    this.#spent[name] += amount;
    this.expect(name, 0);
  }

  /** Whether the caller has no credentials. */
  get isPublic(): boolean {
    return this.#client.isPublic === true;
  }

  /** The rows that have been asked for before in this place, by their ids; the caller adds to them. */
  returned(place: string): Set<number> {
    return this.#returned.getOrInsertComputed(place, () => new Set());
  }

  /** What has been spent, for `reset`. */
  mark(): Limits {
    return { ...this.#spent };
  }

  /** Refunds what was spent since `mark`, except the time. */
  reset(mark: Limits): void {
    Object.assign(this.#spent, mark, { milliseconds: this.#spent.milliseconds });
    this.#returned.clear();
  }

  /** A full budget for the same request, which keeps the time that was spent. */
  restart(): Budget {
    const restarted = new Budget(this.#limits, this.#client);
    restarted.#spent.milliseconds = this.#spent.milliseconds;
    restarted.#startedAt = this.#startedAt;
    restarted.#checkedAt = this.#checkedAt;
    restarted.#turn = this.#turn;
    return restarted;
  }

  /** From now on, work may take as long without a pause as a read of a database in memory may that cannot pause. */
  allowLongTurn(): void {
    const uninterrupted = Math.max(this.#limits.uninterrupted, LONG_TURN_MS);
    this.#limits = { ...this.#limits, uninterrupted };
  }

  /** Throws if `take` would throw, without taking. */
  expect(name: LimitName, amount: number): void {
    if (this.#spent[name] + amount > this.#limits[name]) throw this.#exceeded(name);
  }

  spent(name: LimitName): number {
    return this.#spent[name];
  }

  left(name: LimitName): number {
    return this.#limits[name] - this.#spent[name];
  }

  /** Called while rows are read and mapped. Throws a ValidationError if the request has taken too long. */
  checkTime(): void {
    if (this.#limits.milliseconds === Number.POSITIVE_INFINITY) return;
    this.#leaveEarlierTurn();
    const now = threadCpuTime();
    this.#startedAt ??= now;
    this.#checkedAt = now;
    for (const name of ["milliseconds", "uninterrupted"] as const) {
      if (now - this.#startedAt > this.left(name)) throw this.#exceeded(name);
    }
  }

  /** Since the last check, the request has waited, such as for hashed passwords or own code: that was the work of others. */
  #leaveEarlierTurn(): void {
    const now = currentTurn();
    if (now !== this.#turn && this.#startedAt !== undefined) {
      this.#spent.milliseconds += this.#checkedAt - this.#startedAt;
      this.#startedAt = undefined;
    }
    this.#turn = now;
  }

  /**
   * Lets other requests be served between two steps of a long one. Of several steps that pause, also of other requests, each gets
   * a turn of the event loop of its own, and ends it with `stop`. Throws if the client has disconnected.
   */
  async pause(): Promise<void> {
    this.#pauses++;
    try {
      await this.waitFor(nextTurn());
    } finally {
      this.#pauses--;
    }
  }

  /** Ends a turn: what follows is the work of others. */
  stop(): void {
    if (this.#startedAt !== undefined) this.#spent.milliseconds += threadCpuTime() - this.#startedAt;
    this.#startedAt = undefined;
  }

  /** Waits while other requests are served. Throws if the client has disconnected. */
  async waitFor<T>(work: Promise<T>): Promise<T> {
    this.stop();
    const result = await work;
    if (this.#client.request?.signal.aborted) throw validationError("The client has closed the request");
    // time that passed since then is that of others
    this.#startedAt = undefined;
    this.checkTime();
    return result;
  }

  /**
   * Runs a long step once few others run; it must not wait for another one. `order`: `last` for the last step of a request.
   * Throws if the client has disconnected.
   */
  async whenAdmitted<T>(step: () => Promise<T>, order: keyof typeof waitingSteps = "any"): Promise<T> {
    const turn =
      longSteps < MAX_LONG_STEPS ? undefined : new Promise<void>((resolve) => waitingSteps[order].push(resolve));
    if (!turn) longSteps++;
    try {
      if (turn) await this.waitFor(turn);
      return await step();
    } finally {
      const next = waitingSteps.last.shift() ?? waitingSteps.any.shift();
      if (next) next();
      else longSteps--;
    }
  }

  /** Whether a pause is due: after much work, and for steps that follow one that has paused. */
  get isPauseDue(): boolean {
    this.#leaveEarlierTurn();
    if (this.#startedAt === undefined) return this.#pauses > 0;
    return threadCpuTime() - this.#startedAt > PAUSE_AFTER_MS;
  }

  #exceeded(name: LimitName): Error {
    const limit = this.#limits[name];
    return validationError(
      `The request exceeds its limit of ${limit} ${limitTable[name].unit}: ask for less at once (limits.${name})`,
      { limit: name, max: limit },
    );
  }
}

/** For work of the server itself, and of programs. */
export const unlimited = new Budget(createLimits(() => Number.POSITIVE_INFINITY));
