/** Gives errors of the document service the status of a response, for callers of the library. */
import { ApiError } from "../lib/errors.ts";

export function rethrow(error: unknown): never {
  throw error instanceof ApiError ? error.withStatus() : error;
}

/** `around`: runs the calls. */
export const withStatuses = <Service extends object>(service: Service, around: <T>(work: () => T) => T): Service =>
  new Proxy(service, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]): unknown => {
        try {
          const result: unknown = around(() => member.apply(target, args));
          return result instanceof Promise ? result.catch(rethrow) : result;
        } catch (error) {
          rethrow(error);
        }
      };
    },
  });
