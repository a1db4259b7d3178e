/** The times of tokens are those of one moment, whatever the clock does while they are signed. */
import { afterEach, expect, type Mock, spyOn, test } from "bun:test";
import { Jwt } from "../../../src/engine/access/jwt.ts";
import { Clock } from "../../../src/lib/clock.ts";

const LIFESPAN = 90;
const jwt = new Jwt("a secret of tests", new Clock());
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());

let clock: Mock<typeof Date.now> | undefined;
afterEach(() => clock?.mockRestore());

test("a token lives as long as it says, also where a second ends meanwhile", () => {
  let now = 1_700_000_000_400;
  // each look at the clock is in another second
  clock = spyOn(Date, "now").mockImplementation(() => {
    now += 1_000;
    return now;
  });
  const { id, iat, exp } = claimsOf(jwt.sign({ id: 1 }, LIFESPAN));
  expect([id, iat, exp - iat]).toEqual([1, 1_700_000_001, LIFESPAN]);
});

test("a token until a given time has no time of issue", () => {
  expect(claimsOf(jwt.signUntil({ id: 1 }, 2_000_000_000))).toEqual({ id: 1, exp: 2_000_000_000 });
});
