/** The times of tokens are those of one moment, whatever the clock does while they are signed. */
import { afterEach, expect, type Mock, spyOn, test } from "bun:test";
import { Jwt } from "../../../src/engine/access/jwt.ts";
import { Clock } from "../../../src/lib/clock.ts";

const LIFESPAN = 90;
const jwt = new Jwt("a secret of tests", new Clock());
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());

let clock: Mock<typeof Date.now> | undefined;
afterEach(() => clock?.mockRestore());

const signers = {
  sign: () => jwt.sign({ id: 1 }, LIFESPAN),
  issue: () => jwt.issue({ id: 1 }, LIFESPAN),
} satisfies Record<string, () => string | Promise<string>>;

for (const [name, signed] of Object.entries(signers)) {
  test(`${name}: a token lives as long as it says, also where a second ends meanwhile`, async () => {
    let now = 1_700_000_000_400;
    // each look at the clock is in another second
    clock = spyOn(Date, "now").mockImplementation(() => {
      now += 1_000;
      return now;
    });
    const { id, iat, exp } = claimsOf(await signed());
    expect([id, iat, exp - iat]).toEqual([1, 1_700_000_001, LIFESPAN]);
  });
}

test("a token until a given time has no time of issue", async () => {
  expect(claimsOf(await jwt.signUntil({ id: 1 }, 2_000_000_000))).toEqual({ id: 1, exp: 2_000_000_000 });
});
