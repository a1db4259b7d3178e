/** `strapi.entityService.decorate`, as a project's own code calls it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, relation, type TestApp, testApp, typeFile } from "../project.ts";

const NOTE = "api::note.note";
const FRONT = "api::front.front";

let app: TestApp;
let service: Body;
const calls: unknown[] = [];

beforeAll(async () => {
  app = await testApp({
    ...typeFile("note", { title: { type: "string" }, parents: relation("oneToMany", "note") }),
    ...typeFile("front", { title: { type: "string" } }, { kind: "singleType" }),
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.ownCode = strapi; } };",
  });
  service = (globalThis as unknown as { ownCode: Body }).ownCode.entityService;
});
afterAll(() => app.close());

test("the entry of a single type is wrapped as that of findOne", async () => {
  const actions: string[] = [];
  service.decorate((previous: Body) => ({
    wrapResult(result: Body, about: Body) {
      actions.push(about.action);
      return previous.wrapResult(result, about);
    },
  }));
  expect(await service.findMany(FRONT)).toEqual(null);
  await service.findMany(NOTE);
  expect(actions).toEqual(["findOne", "findMany"]);
});

test("a decorator replaces methods, and finds the previous ones", async () => {
  const kept = service.findMany;
  const returned = service.decorate((previous: Body) => ({
    findMany: async (...args: unknown[]) => [...(await previous.findMany(...args)), "added"],
    async titles() {
      return (await (this as unknown as Body).findMany(NOTE)).length;
    },
    findOne() {
      return (this as unknown as Body).titles();
    },
  }));
  expect(returned).toBe(service);
  await service.create(NOTE, { data: { title: "a" } });
  expect((await kept(NOTE))[1]).toBe("added");
  expect(await service.findOne(NOTE, 1)).toBe(2);
  // new methods are those of the implementation only
  expect([typeof service.titles, typeof service.implementation.titles]).toEqual(["undefined", "function"]);
  expect(() => service.decorate(5)).toThrow("Decorator must be a function, received number");
});

test("parameters and results pass two methods that a decorator may replace", async () => {
  service.decorate((previous: Body) => ({
    wrapParams(params: Body, about: Body) {
      calls.push([about.action, about.uid]);
      return previous.wrapParams(params, about);
    },
    wrapResult: async (result: Body, about: Body) => {
      calls.push([about.action, about.field ?? null]);
      return Array.isArray(result) ? result.length : result;
    },
  }));
  const made = await service.create(NOTE, { data: { title: "b" } });
  expect(await service.count(NOTE)).toBe(2);
  await service.update(NOTE, made.id, { data: { title: "c" } });
  await service.findPage(NOTE, {});
  expect((await service.loadPages(NOTE, made, "parents")).results).toBe(0);
  expect((await service.delete(NOTE, made.id)).title).toBe("c");
  expect(calls.splice(0)).toEqual([
    ["create", NOTE],
    ["create", null],
    ["count", NOTE],
    ["update", NOTE],
    ["update", null],
    ["findPage", NOTE],
    ["findMany", null],
    ["load", "parents"],
    ["delete", NOTE],
    ["delete", null],
  ]);
});
