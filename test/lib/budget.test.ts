/** Long requests take turns: others are served between their steps, and few of them hold much memory at once. */
import { expect, spyOn, test } from "bun:test";
import { cloneDeep } from "lodash";
import { Budget, defaultLimits, parsingTurn, turnForWork, unlimited } from "../../src/lib/budget.ts";
import { splitBudget, withBudget } from "../../src/lib/budgeted-params.ts";
import { quickest, threadTime } from "../processor-time.ts";

function work(milliseconds: number): void {
  for (const end = threadTime() + milliseconds; threadTime() < end; );
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("two long steps run at once; of those that wait, the last ones of requests come first", async () => {
  const started: string[] = [];
  let running = 0;
  let most = 0;
  const step = (name: string, order?: "last") =>
    new Budget().whenAdmitted(async () => {
      started.push(name);
      most = Math.max(most, ++running);
      await turn();
      running--;
      return name;
    }, order);
  const names = await Promise.all([step("a"), step("b"), step("c"), step("d"), step("e", "last"), step("f", "last")]);
  expect(names).toEqual(["a", "b", "c", "d", "e", "f"]);
  expect(started).toEqual(["a", "b", "e", "f", "c", "d"]);
  expect(most).toBe(2);
});

test("a step that fails, or whose client has gone, lets the next one run", async () => {
  const client = new AbortController();
  const failing = () => new Budget().whenAdmitted(() => Promise.reject(new Error("failed")));
  const gone = new Budget(undefined, { request: client }).whenAdmitted(async () => "never");
  const results = [failing(), failing(), new Budget(undefined, { request: client }).whenAdmitted(async () => "never")];
  client.abort();
  const outcomes = await Promise.allSettled([gone, ...results]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
  const both = [new Budget().whenAdmitted(turn), new Budget().whenAdmitted(turn)];
  expect(await Promise.all(both)).toHaveLength(2);
});

test("a turn is due by processor time", async () => {
  let turns = 0;
  for (const end = threadTime() + 200; threadTime() < end; ) {
    const due = parsingTurn();
    if (due) {
      turns++;
      await due;
    }
  }
  expect(turns).toBeGreaterThan(5);
  expect(turns).toBeLessThanOrEqual(20);
});

test("a pause is due after 50 ms of work, and again after 50 more", async () => {
  const budget = new Budget();
  const times: number[] = [];
  while (times.length < 3) {
    const start = threadTime();
    budget.checkTime();
    while (!budget.isPauseDue && threadTime() - start < 100);
    times.push(threadTime() - start);
    await budget.pause();
  }
  expect(Math.min(...times)).toBeGreaterThan(40);
  expect(Math.max(...times)).toBeLessThan(80);
});

test("what others do while a request waits is not its work", async () => {
  const budget = new Budget();
  budget.checkTime();
  await turn();
  work(300);
  expect(budget.isPauseDue).toBe(false);
  budget.checkTime();
  work(100);
  budget.checkTime();
  await turn();
  budget.checkTime();
  expect(Math.round(budget.spent("milliseconds") / 50)).toBe(2);
  work(300);
  expect(() => budget.checkTime()).toThrow("250 milliseconds without a break");
});

test("turns go on while a test has replaced the clock", async () => {
  const replaced = spyOn(globalThis, "setImmediate").mockImplementation((() => {}) as never);
  try {
    void turnForWork();
    work(60);
    await turnForWork();
    await new Budget().pause();
  } finally {
    replaced.mockRestore();
  }
}, 5_000);

/** Parses so many pieces, each in a millisecond of processor time. */
async function parse(pieces: number): Promise<void> {
  for (let piece = 0; piece < pieces; piece++) {
    await parsingTurn();
    work(1);
  }
}

/** The longest turn of the event loop, in milliseconds of processor time, while something is done. */
async function longestTurn(done: () => Promise<unknown>): Promise<number> {
  let most = 0;
  let last = threadTime();
  let timer = setImmediate(function count() {
    most = Math.max(most, threadTime() - last);
    last = threadTime();
    timer = setImmediate(count);
  });
  await done();
  clearImmediate(timer);
  return most;
}

test("many requests that are parsed at once share a turn, in which others are served", async () => {
  const parseAll = () => Promise.all(Array.from({ length: 20 }, () => parse(15)));
  // with a turn for each, it would be 200 milliseconds
  expect(await quickest(120, () => longestTurn(parseAll))).toBeLessThan(120);
});

test.each([
  ["arrive", turnForWork],
  ["pause", () => new Budget().pause()],
])("requests that %s together leave others their turns", async (_, wait) => {
  const workAll = () =>
    Promise.all(
      Array.from({ length: 20 }, async () => {
        await wait();
        work(20);
      }),
    );
  // in one turn, it would be 400 milliseconds
  expect(await quickest(120, () => longestTurn(workAll))).toBeLessThan(120);
});

test("parameters that code passes on have the limits of their request, for each read", () => {
  const given = { fields: ["title"] };
  const params = withBudget(given, new Budget({ ...defaultLimits, values: 10, uninterrupted: 1 }));
  expect(JSON.stringify(params)).toBe(JSON.stringify(given));
  for (const passedOn of [params, { ...params, limit: 1 }, cloneDeep(params)])
    for (let read = 0; read < 2; read++) {
      const { budget, own } = splitBudget(passedOn);
      expect(Object.getOwnPropertySymbols(own)).toEqual([]);
      budget.take("values", 10);
      expect(() => budget.take("values", 1)).toThrow("limit of 10 values");
      expect(budget.left("uninterrupted")).toBe(900);
    }
  expect(splitBudget(given).budget).toBe(unlimited);
  expect(splitBudget(null as never)).toEqual({ budget: unlimited, own: {} as never });
});
