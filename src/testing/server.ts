/** Serves a project for a test in another process, and runs its calls. */

import { createGalley } from "../index.ts";
import { ApiError, ProjectError } from "../lib/errors.ts";
import type { Galley, Snapshot } from "../public-types.ts";
import { type Call, documentMethods, type Failure, type ToServer, type ToTest } from "./messages.ts";

function createFailure(error: unknown): Failure {
  if (error instanceof ProjectError) return { kind: "project", problems: error.problems };
  if (!(error instanceof ApiError))
    return { kind: "other", message: error instanceof Error ? error.message : Bun.inspect(error) };
  const { kind, name, httpStatus: status, message, details } = error;
  return { kind: "api", error: kind, name, status, message, details };
}

/** Returns the handler of the test's messages, and a function that closes the project. */
export function createTestServer(send: (message: ToTest) => void) {
  let galley: Galley | undefined;
  const snapshots: Snapshot[] = [];
  const startedGalley = (): Galley => {
    if (!galley) throw new Error("The project has not been started");
    return galley;
  };
  const run = async (call: Call): Promise<unknown> => {
    switch (call.kind) {
      case "start":
        if (galley) throw new Error("The project has been started already");
        galley = await createGalley(call.options);
        return galley.serve();
      case "documents": {
        const { uid, method, params } = call;
        if (!documentMethods.includes(method)) throw new Error(`The document service has no ${method}`);
        const service = startedGalley().documents(uid) as unknown as Record<
          typeof method,
          (input: typeof params) => unknown
        >;
        return service[method](params);
      }
      case "authorization":
        return (await startedGalley().as(call.caller).authorization()) ?? null;
      case "snapshot":
        return snapshots.push(await startedGalley().snapshot()) - 1;
      case "reset":
        return startedGalley().reset(call.to === undefined ? undefined : snapshots[call.to]);
    }
  };
  return {
    handleMessage: ({ id, call }: ToServer): void => {
      run(call).then(
        (value) => send({ id, value }),
        (error: unknown) => send({ id, failure: createFailure(error) }),
      );
    },
    close: async (): Promise<void> => galley?.close(),
  };
}
