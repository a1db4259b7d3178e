/** `ctx.assert`: throws an HTTP error unless a condition holds. */
import { httpErrorOf } from "./http-error.ts";

const names = ["equal", "notEqual", "deepEqual", "notDeepEqual", "strictEqual", "notStrictEqual"] as const;

function assert(value: unknown, ...args: readonly unknown[]): void {
  if (!value) throw httpErrorOf(args);
}

/** Compares as `node:assert` does. */
const comparison =
  (name: (typeof names)[number]) =>
  (left: unknown, right: unknown, ...args: readonly unknown[]): void => {
    const checks = require("node:assert") as typeof import("node:assert");
    try {
      (checks[name] as (left: unknown, right: unknown) => void)(left, right);
    } catch {
      throw httpErrorOf(args);
    }
  };

export const assertions = Object.assign(assert, {
  ok: assert,
  fail: (...args: readonly unknown[]) => assert(false, ...args),
  ...Object.fromEntries(names.map((name) => [name, comparison(name)])),
});
