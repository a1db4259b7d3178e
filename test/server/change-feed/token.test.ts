/** Tokens of the change feed as texts. */
import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { isToken, readToken, writeToken } from "../../../src/server/change-feed/token.ts";

test("no token looks like an option of a command line", () => {
  const key = randomBytes(32).toString("base64");
  const position = { epoch: "ab".repeat(16), scope: "cd".repeat(8), sequence: 7, cursor: undefined };
  const tokens = Array.from({ length: 5_000 }, () => writeToken(key, position));
  expect(tokens.filter((token) => token.startsWith("-"))).toEqual([]);
  expect(tokens.every(isToken)).toBe(true);
  expect(readToken(key, tokens[0]!)).toEqual(position);
});
