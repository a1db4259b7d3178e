/** Serves a project for a test in another process, and runs its calls. */

import { createGalley } from "../index.ts";
import { ApiError, ProjectError } from "../lib/errors.ts";
import type { Galley, GalleyOptions, Snapshot } from "../public-types.ts";
import {
  type Branch,
  type Call,
  documentMethods,
  type Failure,
  kitFunctions,
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

type GalleyCall = Extract<Call, { readonly kind: "documents" | "kit" | "authorization" }>;

/** Throws an Error for an unknown function. */
export async function callGalley(galley: Galley, call: GalleyCall): Promise<unknown> {
  switch (call.kind) {
    case "documents": {
      const { uid, method, params } = call;
      if (!documentMethods.includes(method)) throw new Error(`The document service has no ${method}`);
      const service = galley.documents(uid) as unknown as Record<typeof method, (input: typeof params) => unknown>;
      return service[method](params);
    }
    case "kit": {
      const { name, args } = call;
      if (!kitFunctions.includes(name)) throw new Error(`Tests have no function ${name}`);
      const [first, second] = name.split(".") as [keyof Galley, (keyof Galley["clock"])?];
      const run = second === undefined ? galley[first] : galley.clock[second];
      return (run as (...values: readonly unknown[]) => unknown)(...args);
    }
    case "authorization":
      return (await galley.as(call.caller).authorization()) ?? null;
  }
}

/** What a test has opened, and its snapshots. */
interface Opened {
  readonly galley: Galley;
  readonly snapshots: Snapshot[];
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
  const run = async (number: number, call: Call): Promise<unknown> => {
    if (call.kind === "start") return start(call.options);
    if (call.kind === "close") return close(number);
    const found = opened.get(number);
    if (!found) throw new Error(number === 0 ? "The project has not been started" : "The branch is closed");
    const { galley, snapshots } = found;
    switch (call.kind) {
      case "documents":
      case "kit":
      case "authorization":
        return callGalley(galley, call);
      case "snapshot":
        return snapshots.push(await galley.snapshot()) - 1;
      case "reset":
        return galley.reset(call.to === undefined ? undefined : snapshots[call.to]);
      case "changes":
        return galley.changes(call.since === undefined ? undefined : snapshots[call.since]);
      case "branch": {
        const branch = ++last;
        return { branch, url: open(branch, await galley.branch()) } satisfies Branch;
      }
    }
  };
  return {
    handleMessage: ({ id, branch, call }: ToServer): void => {
      run(branch, call).then(
        (value) => send({ id, value }),
        (error: unknown) => send({ id, failure: createFailure(error) }),
      );
    },
    close: async (): Promise<void> => {
      await Promise.all([...opened.keys()].map(close));
    },
  };
}
