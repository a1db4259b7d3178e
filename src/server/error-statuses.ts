/** Gives errors of the document service the status of a response, for callers of the library. */
import type { Documents } from "../engine/documents/documents.ts";
import { ApiError } from "../lib/errors.ts";

function rethrow(error: unknown): never {
  throw error instanceof ApiError ? error.withStatus() : error;
}

export const withStatuses = (service: Documents): Documents =>
  new Proxy(service, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]): unknown => {
        try {
          const result: unknown = member.apply(target, args);
          return result instanceof Promise ? result.catch(rethrow) : result;
        } catch (error) {
          rethrow(error);
        }
      };
    },
  });
