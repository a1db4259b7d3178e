/** Scheduled tasks. */
import { expect, spyOn, test } from "bun:test";
import { Clock, SettableClock } from "../../src/lib/clock.ts";
import { Cron } from "../../src/strapi/instance/cron.ts";
import { parseSchedule } from "../../src/strapi/instance/cron-schedule.ts";
import { configFile, testApp } from "../project.ts";
import { until } from "../until.ts";

function createCron() {
  const errors: string[] = [];
  const log = {
    error: (text: unknown) => void errors.push(String(text)),
    warn() {},
    info() {},
    http() {},
    debug() {},
    isConfigured: false,
    close() {},
  };
  const cron = new Cron(() => ({ isStrapi: true }), log, new Clock());
  return { cron, errors };
}

const inTenDays = new Date(Date.now() + 10 * 86_400_000);

test.each([
  ["a rule", "*/5 * * * *", { pattern: "*/5 * * * *" }],
  [
    "a rule with a time zone",
    { rule: "0 0 1 * * 1", tz: "Asia/Dhaka" },
    { pattern: "0 0 1 * * 1", timezone: "Asia/Dhaka" },
  ],
  ["a time", inTenDays, { pattern: inTenDays, maxRuns: 1 }],
  ["milliseconds", { rule: inTenDays.getTime() }, { pattern: inTenDays, maxRuns: 1 }],
  [
    "a rule with a start and an end",
    { rule: "* * * * *", start: "2026-01-01T00:00:00Z", end: inTenDays },
    { pattern: "* * * * *", startAt: new Date("2026-01-01T00:00:00Z"), stopAt: inTenDays },
  ],
  ["a recurrence", { hour: 5, minute: [0, 30], month: 0 }, { pattern: "0 0,30 5 * 1 *" }],
  [
    "a recurrence as a rule",
    { rule: { dayOfWeek: { start: 1, end: 5 }, year: 2030 } },
    { pattern: "0 * * * * 1-5 2030" },
  ],
])("the schedule of %s", (_, options, schedule) => {
  expect(parseSchedule(options)).toEqual(schedule);
});

test("a time zone moves the run", () => {
  const { cron } = createCron();
  const options = (tz: string) => ({ task: () => {}, options: { rule: "0 12 * * *", tz } });
  cron.add({ tokyo: options("Asia/Tokyo"), utc: options("UTC") }).start();
  const hours = cron.jobs.map(({ job }) => job.nextInvocation()?.getUTCHours());
  cron.destroy();
  expect(hours).toEqual([3, 12]);
});

test("tasks run with strapi and the time, after the start, and their errors are logged", async () => {
  const { cron, errors } = createCron();
  const runs: unknown[] = [];
  cron.add({
    once: { task: (...args: unknown[]) => runs.push(args), options: new Date(Date.now() + 60) },
    failing: { task: () => Promise.reject(new Error("failed")), options: { rule: new Date(Date.now() + 60) } },
  });
  cron.start();
  await until("both tasks have run", () => runs.length === 1 && errors.length === 1);
  cron.destroy();
  expect(runs).toEqual([[{ strapi: { isStrapi: true } }, expect.any(Date)]]);
  expect(errors).toEqual(['Cron job "failing" failed']);
});

test("an invalid rule is logged and stops nothing", () => {
  const { cron, errors } = createCron();
  cron.add({ "not a rule": () => {}, empty: { task: () => {} }, good: { task: () => {}, options: "* * * * *" } });
  expect(cron.jobs.map(({ name }) => name)).toEqual(["good"]);
  expect(errors.map((text) => text.split(":")[0])).toEqual([
    'Could not schedule cron job "not a rule"',
    'Could not schedule cron job "empty"',
  ]);
  expect(() => cron.add({ none: 1 })).toThrow("no function found");
  cron.destroy();
});

test("jobs are removed by name, and can be rescheduled and called", async () => {
  const { cron, errors } = createCron();
  cron.add({ a: { task: () => "called", options: "0 0 1 1 *" }, b: { task: () => {}, options: "* * * * *" } }).start();
  const { job } = cron.jobs[0]!;
  expect(await job.invoke()).toBe("called");
  expect([job.reschedule("nonsense"), errors.length, job.reschedule({ rule: "0 0 2 1 *" })]).toEqual([false, 1, true]);
  expect(job.nextInvocation()?.getDate()).toBe(2);
  cron.remove("a");
  expect([cron.jobs.map(({ name }) => name), job.isStopped()]).toEqual([["b"], true]);
  expect(() => cron.remove()).toThrow("You must provide a name");
  cron.destroy();
});

test("tasks of config/server run in a project without other code", async () => {
  const state = globalThis as { ranTask?: number };
  const app = await testApp({
    ...configFile(),
    "config/server.js": `module.exports = { cron: { enabled: true, tasks: {
      each: { task: ({ strapi }) => { globalThis.ranTask = Object.keys(strapi.contentTypes).length; }, options: { rule: "* * * * * *" } } } } };`,
  });
  await until("the task has run", () => state.ranTask !== undefined);
  expect(state.ranTask).toBeGreaterThan(0);
  await app.close();
});

test.each<[string, Record<string, string>, string]>([
  [
    "that are those of a package",
    { "config/server.js": 'module.exports = { cron: { enabled: true, tasks: require("missing-tasks") } };' },
    'Could not schedule cron job "default": config/server.js: the package missing-tasks is not installed (bun add missing-tasks)',
  ],
  [
    "whose file passes on those of a package",
    {
      "config/server.js": 'import * as tasks from "./cron-passed"; export default { cron: { enabled: true, tasks } };',
      "config/cron-passed.js": 'import tasks from "missing-passed"; export default tasks;',
    },
    'Could not schedule cron job "default": config/cron-passed.js: the package missing-passed is not installed (bun add missing-passed)',
  ],
  [
    "with a rule of a package",
    {
      "config/server.js": 'module.exports = { cron: { enabled: true, tasks: require("./cron-ruled") } };',
      "config/cron-ruled.js":
        'const { daily } = require("missing-rules"); module.exports = { each: { task() {}, options: { rule: daily(1) } } };',
    },
    'Could not schedule cron job "each": config/cron-ruled.js: the package missing-rules is not installed (bun add missing-rules)',
  ],
])("tasks %s that is not installed: the log names the file and the package", async (_, files, message) => {
  const logged = spyOn(console, "error").mockImplementation(() => {});
  try {
    const app = await testApp({ ...configFile(), ...files });
    await app.close();
    expect(logged.mock.calls.flat().join("\n")).toContain(message);
  } finally {
    logged.mockRestore();
  }
});

test("a task that never ends is told, and not waited for", async () => {
  const errors: unknown[][] = [];
  const log = { error: (...args: unknown[]) => errors.push(args) } as unknown as ConstructorParameters<typeof Cron>[1];
  const cron = new Cron(() => ({}), log, new SettableClock(), 20);
  cron.add({ stuck: { task: () => new Promise(() => {}), options: "0 0 * * *" } }).start();
  await cron.dueAfter(0)!.run();
  expect(errors).toEqual([['Cron job "stuck" failed', new Error("It has not ended after 0.02 seconds")]]);
  cron.destroy();
});
