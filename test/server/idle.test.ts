/** Memory is given back in rest, and only then. */
import { expect, spyOn, test } from "bun:test";
import { createIdleCollector } from "../../src/server/idle.ts";

const REST_MS = 40;

test("nothing is cleared away while requests come", async () => {
  let trims = 0;
  const idle = createIdleCollector(() => trims++, true, 10 * REST_MS);
  for (let count = 0; count < 160; count++) {
    idle.touch();
    await Bun.sleep(5);
  }
  expect(trims).toBe(0);
});

test("a rest has a few rounds and then none, until there was a request again", async () => {
  let trims = 0;
  const idle = createIdleCollector(() => trims++, true, REST_MS);
  // rounds of the collector and of this test take their turns, however slow the machine is
  const afterRest = async (): Promise<number> => {
    for (let quiet = 0, before = trims; quiet < 5; quiet++) {
      await Bun.sleep(2 * REST_MS);
      if (trims !== before || trims === 0) quiet = 0;
      before = trims;
    }
    return trims;
  };
  idle.touch();
  const rounds = await afterRest();
  expect(await afterRest()).toBe(rounds);
  idle.touch();
  while (trims === rounds) await Bun.sleep(REST_MS);
  expect(await afterRest()).toBe(2 * rounds);
});

test("nothing is cleared away after the end", async () => {
  let trims = 0;
  const idle = createIdleCollector(() => trims++, true, REST_MS);
  idle.touch();
  idle.stop();
  idle.touch();
  await Bun.sleep(5 * REST_MS);
  expect(trims).toBe(0);
});

test("an idle server does not stop a busy one of the same process to collect garbage", async () => {
  const collect = spyOn(Bun, "gc").mockImplementation(() => 0);
  const busy = createIdleCollector(() => {}, true, 100 * REST_MS);
  let trims = 0;
  const idle = createIdleCollector(() => trims++, true, REST_MS);
  // timers of one thread run in the order of their times, however slow the machine is
  const requests = setInterval(() => busy.touch(), 1);
  idle.touch();
  while (trims < 8) await Bun.sleep(REST_MS);
  expect(collect).not.toHaveBeenCalled();
  clearInterval(requests);
  while (collect.mock.calls.length === 0) await Bun.sleep(REST_MS);
  idle.stop();
  busy.stop();
  collect.mockRestore();
});

test("a process with other work is not stopped to collect garbage", async () => {
  const collect = spyOn(Bun, "gc").mockImplementation(() => 0);
  let trims = 0;
  const idle = createIdleCollector(() => trims++, false, REST_MS);
  idle.touch();
  while (trims < 3) await Bun.sleep(REST_MS);
  idle.stop();
  expect(collect).not.toHaveBeenCalled();
  collect.mockRestore();
});
