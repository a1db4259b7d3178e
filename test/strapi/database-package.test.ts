/** `@strapi/database` in a project's code: the transaction of the running code, and its errors. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, configFile, type TestApp, testApp, typeFile } from "../project.ts";

const runner = (load: string): string => `${load}
  const AsyncFunction = (async () => {}).constructor;
  module.exports = { run: async (ctx) => {
    const calls = [];
    const value = await new AsyncFunction("strapi", "ctxOf", "database", "calls", ctx.request.body.code)(
      strapi, transactionCtx, database, calls).catch((error) => [error.name, error.message]);
    ctx.body = { value, calls, names: (await strapi.db.query("api::tag.tag").findMany()).map(({ name }) => name) };
    await strapi.db.query("api::tag.tag").deleteMany();
  } };`;
const route = (name: string) => ({
  method: "POST",
  path: `/${name}`,
  handler: `${name}.run`,
  config: { auth: false },
});
const files = {
  ...configFile(),
  ...typeFile("tag", { name: { type: "string" }, at: { type: "date" } }),
  // as in new projects of Strapi
  "config/database.js": `const { isDatabaseClientKind } = require("@strapi/database");
    module.exports = { connection: { client: "postgres", debug: true }, own: isDatabaseClientKind("sqlite") };`,
  "src/api/run/controllers/run.js": runner(
    `const database = require("@strapi/database"); const { transactionCtx } = require("@strapi/database/dist/transaction-context");`,
  ),
  // of a package that the project has installed
  "src/api/run/controllers/installed.js": runner(`const { transactionCtx, database } = require("plugin-of-others");`),
  "node_modules/plugin-of-others/package.json": JSON.stringify({ name: "plugin-of-others", main: "index.js" }),
  "node_modules/plugin-of-others/index.js": `exports.database = require("@strapi/database");
    exports.transactionCtx = require("@strapi/database/dist/transaction-context").transactionCtx;`,
  "src/api/run/routes/run.js": `module.exports = { routes: ${JSON.stringify([route("run"), route("installed")])} };`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(() => app.close());

const evaluate = async (code: string, path = "run"): Promise<Body> =>
  (await app.call("POST", `/api/${path}`, { code: `const tags = strapi.db.query("api::tag.tag"); ${code}` })).body;

const INSERT = `await strapi.db.connection("tags").transacting(ctxOf.get()).insert({ name: "knex" });`;
const CALLBACKS = `ctxOf.onCommit(() => calls.push("committed", ctxOf.get() === undefined)); ctxOf.onRollback(() => calls.push("rolled back"));`;

test.each(["run", "installed"])("get() is the transaction that code runs in, whose end is told: %s", async (path) => {
  const committed = await evaluate(
    `const outside = ctxOf.get();
    ctxOf.onCommit(() => calls.push("never"));
    return strapi.db.transaction(async () => {
      ${INSERT} ${CALLBACKS}
      await ctxOf.get()("tags").insert({ name: "called" });
      calls.push("last");
      return [outside === undefined, ctxOf.get().isTransaction, ctxOf.get().isCompleted()];
    });`,
    path,
  );
  expect(committed).toEqual({
    value: [true, true, false],
    calls: ["last", "committed", true],
    names: ["knex", "called"],
  });
  const failed = await evaluate(
    `return strapi.db.transaction(async () => { ${INSERT} ${CALLBACKS} throw new Error("back"); });`,
    path,
  );
  expect(failed).toEqual({ value: ["Error", "back"], calls: ["rolled back"], names: [] });
});

test("isDatabaseClientKind knows the databases, also in configuration", async () => {
  const { value } = await evaluate(
    `return [strapi.config.get("database.own"), ...["sqlite", "mysql", "postgres", "mongo"].map(database.isDatabaseClientKind)];`,
  );
  expect(value).toEqual([true, true, true, true, false]);
});

test("the configured kind of database is the one that there is", async () => {
  const { value } = await evaluate(
    `return [strapi.config.get("database.connection"), strapi.config.database.connection.client, strapi.config.has("database.own")];`,
  );
  expect(value).toEqual([{ client: "sqlite", debug: true }, "sqlite", true]);
});

test("a write of a document is a transaction, also for its hooks", async () => {
  const code = (end: string) => `
    const off = strapi.db.lifecycles.subscribe({ models: ["api::tag.tag"], async afterCreate() { ${CALLBACKS} ${end} } });
    try { return (await strapi.documents("api::tag.tag").create({ data: { name: "a" } })).name } finally { off() }`;
  expect(await evaluate(code(""))).toEqual({ value: "a", calls: ["committed", true], names: ["a"] });
  expect(await evaluate(code(`throw new Error("no")`))).toMatchObject({ calls: ["rolled back"], names: [] });
});

test("a transaction that code has opened is entered by run, and ended by commit or rollback", async () => {
  const code = (end: string) => `
    const { get } = await strapi.db.transaction();
    const trx = get();
    const isInside = await ctxOf.run(trx, async () => {
      await tags.create({ data: { name: "own" } });
      ${CALLBACKS}
      return strapi.db.inTransaction() && !!ctxOf.get();
    });
    await ctxOf.${end}(trx);
    await ctxOf.${end}(trx);
    return isInside;`;
  expect(await evaluate(code("commit"))).toEqual({ value: true, calls: ["committed", true], names: ["own"] });
  expect(await evaluate(code("rollback"))).toEqual({ value: true, calls: ["rolled back"], names: [] });
});

test("trx.rollback() takes the whole transaction back, and commit() leaves its end to the function", async () => {
  expect(
    await evaluate(`return strapi.db.transaction(async ({ trx }) => {
      ${CALLBACKS} ${INSERT}
      const inside = await strapi.db.queryBuilder("api::tag.tag").transacting(trx).count().first().execute();
      await strapi.db.transaction(async (nested) => nested.trx.rollback());
      return inside.count; });`),
  ).toEqual({ value: 1, calls: ["rolled back"], names: [] });
  expect(
    await evaluate(
      `return strapi.db.transaction(async ({ trx }) => { ${INSERT} await trx.commit(); return "done"; });`,
    ),
  ).toEqual({ value: "done", calls: [], names: ["knex"] });
});

test("run without a transaction leaves it: reads see what is committed, writes come after it", async () => {
  const { value, names } = await evaluate(`
    let later;
    const seen = await strapi.db.transaction(async () => {
      await tags.create({ data: { name: "inside" } });
      later = ctxOf.run(undefined, () => tags.create({ data: { name: "outside" } }));
      return ctxOf.run(undefined, async () => [ctxOf.get() === undefined, strapi.db.inTransaction(), await tags.count()]);
    });
    await later;
    return [...seen, ctxOf.get() === undefined];`);
  expect(value).toEqual([true, false, 0, true]);
  expect(names).toEqual(["inside", "outside"]);
});

test("errors of stored values are of its classes", async () => {
  const { value } = await evaluate(`
    const { errors } = database;
    const error = await tags.create({ data: { name: "a", at: "no date" } }).catch((thrown) => thrown);
    const made = Object.entries(errors).map(([name, ErrorClass]) => [name, new ErrorClass().name, new ErrorClass() instanceof errors.DatabaseError]);
    return [error instanceof errors.InvalidDateError, error instanceof errors.InvalidTimeError, error instanceof errors.DatabaseError, made];`);
  expect(value).toEqual([
    true,
    false,
    true,
    [
      ["DatabaseError", "DatabaseError", true],
      ["NotNullError", "NotNullError", true],
      ["InvalidTimeError", "InvalidTimeFormat", true],
      ["InvalidDateError", "InvalidDateFormat", true],
      ["InvalidDateTimeError", "InvalidDatetimeFormat", true],
      ["InvalidRelationError", "InvalidRelationFormat", true],
    ],
  ]);
});
