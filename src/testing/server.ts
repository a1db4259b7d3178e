/** Serves a project for a test in another process, and runs its calls. */

import { createGalley } from "../index.ts";
import { ApiError, notFound, ProjectError } from "../lib/errors.ts";
import { isRecord } from "../lib/is-record.ts";
import type { Galley, GalleyOptions, Snapshot } from "../public-types.ts";
import {
  type Branch,
  documentMethods,
  type Failure,
  kitFunctions,
  type TestFunction,
  type ToServer,
  type ToTest,
} from "./messages.ts";

function createFailure(error: unknown): Failure {
  if (error instanceof ProjectError) return { kind: "project", problems: error.problems };
  if (!(error instanceof ApiError)) {
    const message = error instanceof Error ? error.message : Bun.inspect(error);
    return { kind: error instanceof TypeError ? "type" : "other", message };
  }
  const { kind, name, httpStatus: status, message, details } = error;
  return { kind: "api", error: kind, name, status, message, details };
}

/** A project or a branch that a test has opened, and its snapshots, which are known by their numbers. */
export interface Opened {
  readonly galley: Galley;
  readonly snapshots: Snapshot[];
}

type Run = (opened: Opened, ...args: readonly unknown[]) => unknown;

function ofKit(name: (typeof kitFunctions)[number]): Run {
  const [first, second] = name.split(".") as [keyof Galley, (keyof Galley["clock"])?];
  return ({ galley }, ...args) => {
    const run = second === undefined ? galley[first] : galley.clock[second];
    return (run as (...values: readonly unknown[]) => unknown)(...args);
  };
}

function findSnapshot({ snapshots }: Opened, number: unknown): Snapshot | undefined {
  if (number === undefined || (typeof number === "number" && snapshots[number])) return snapshots[number as number];
  throw new TypeError("A snapshot must be a number that snapshot has returned");
}

const functions: Readonly<Record<TestFunction, Run>> = {
  ...(Object.fromEntries(kitFunctions.map((name) => [name, ofKit(name)])) as Record<
    (typeof kitFunctions)[number],
    Run
  >),
  documents: ({ galley }, uid, method, params) => {
    const name = documentMethods.find((known) => known === method);
    if (typeof uid !== "string" || name === undefined || !(params === undefined || isRecord(params)))
      throw new TypeError(`The arguments of documents are a uid, one of ${documentMethods.join(", ")}, and an object`);
    return (galley.documents(uid)[name] as (input: typeof params) => unknown)(params);
  },
  authorization: ({ galley }, caller) => {
    if (typeof caller === "string") return galley.as(caller).authorization();
    throw new TypeError("A caller must be a string");
  },
  snapshot: async ({ galley, snapshots }) => snapshots.push(await galley.snapshot()) - 1,
  reset: (opened, to) => opened.galley.reset(findSnapshot(opened, to)),
  changes: (opened, since) => opened.galley.changes(findSnapshot(opened, since)),
};

/** Calls a function by its name. Rejects with a NotFoundError if there is none. `args`: of JSON, where null stands for undefined. */
export async function callFunction(opened: Opened, name: string, args: readonly unknown[]): Promise<unknown> {
  if (!Object.hasOwn(functions, name))
    throw notFound(`Tests have these functions: ${Object.keys(functions).join(", ")}`);
  return functions[name as TestFunction](opened, ...args.map((value) => value ?? undefined));
}

/** Returns the handler of the test's messages, and a function that closes the project. */
export function createTestServer(send: (message: ToTest) => void) {
  /** The project, and its branches, by number. */
  const opened = new Map<number, Opened>();
  let last = 0;
  const open = (number: number, galley: Galley): string => {
    opened.set(number, { galley, snapshots: [] });
    return galley.serve();
  };
  const close = async (number: number): Promise<void> => {
    const closed = opened.get(number);
    opened.delete(number);
    await closed?.galley.close();
  };
  const start = async (options: GalleyOptions): Promise<string> => {
    if (opened.has(0)) throw new Error("The project has been started already");
    return open(0, await createGalley(options));
  };
  const run = async ({ branch: number, name, args }: ToServer): Promise<unknown> => {
    if (name === "start") return start(args[0] as GalleyOptions);
    if (name === "close") return close(number);
    const found = opened.get(number);
    if (!found) throw new Error(number === 0 ? "The project has not been started" : "The branch is closed");
    if (name !== "branch") return callFunction(found, name, args);
    const branch = ++last;
    return { branch, url: open(branch, await found.galley.branch()) } satisfies Branch;
  };
  return {
    handleMessage: (message: ToServer): void => {
      const { id } = message;
      run(message).then(
        (value) => send({ id, value }),
        (error: unknown) => send({ id, failure: createFailure(error) }),
      );
    },
    close: async (): Promise<void> => {
      await Promise.all([...opened.keys()].map(close));
    },
  };
}
