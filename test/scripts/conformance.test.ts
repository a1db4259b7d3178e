import { describe, expect, test } from "bun:test";
import { findChanges, formatChanges, spread } from "../../scripts/conformance/changes.ts";
import { findLagging, newestUpTo } from "../../scripts/conformance/versions.ts";
import type { Answer, Json, Recording } from "../conformance/scenario.ts";

const answer = (status: number, body: Json): Answer => ({
  status,
  headers: { "content-type": "application/json" },
  body,
});

const recording: Recording = {
  name: "rest-pages",
  project: "project",
  reference: "strapi 5.54.0",
  steps: [
    { id: "list", path: "/api/pages", answer: answer(200, { data: [{ title: "one" }] }) },
    { id: "bad", method: "POST", path: "/api/pages", answer: answer(500, { error: { message: "Internal" } }) },
    { id: "query", graphql: "{ pages { title } }", answer: answer(200, { data: { pages: [] } }) },
  ],
};
const recorded = recording.steps.map((step) => step.answer);
const [list, bad, query] = recorded as [Answer, Answer, Answer];

describe("changes of a version", () => {
  test("equal answers are not a change, whatever the order of keys and the charset", () => {
    const sameType: Answer = { ...list, headers: { "content-type": "application/json; charset=utf-8" } };
    expect(findChanges(recording, [sameType, bad, query])).toEqual([]);
    expect(formatChanges("rest-pages", [])).toEqual([]);
  });

  test("a 500 that became a 400 is a change, though Galley may answer so", () => {
    const changes = findChanges(recording, [list, answer(400, { error: { message: "Invalid" } }), query]);
    expect(formatChanges("rest-pages", changes)).toEqual([
      "rest-pages: 1 changed",
      "  bad: POST /api/pages",
      "    status: 500 is now 400",
      '    body.error.message: "Internal" is now "Invalid"',
    ]);
  });

  test("changed steps are grouped below their recording, with method, path and each difference", () => {
    const changes = findChanges(recording, [
      answer(200, { data: [{ title: "one", rank: 1 }] }),
      bad,
      answer(200, { data: { pages: Array<Json>(2).fill({}) } }),
    ]);
    expect(formatChanges("rest-pages", changes)).toEqual([
      "rest-pages: 2 changed",
      "  list: GET /api/pages",
      "    body.data[0].rank: nothing is now 1",
      "  query: POST /graphql",
      "    body.data.pages.length: 0 is now 2",
    ]);
  });

  test("many differences of a step are counted", () => {
    const wide = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`key${index}`, index]));
    const changes = findChanges(recording, [answer(200, { data: [{ title: "one", ...wide }] }), bad, query]);
    expect(formatChanges("rest-pages", changes).at(-1)).toBe("    and 3 more");
  });

  test("what the recordings' version answers, too, is told apart", () => {
    const other = answer(200, { data: [] });
    const changes = findChanges(recording, [other, bad, answer(404, null)], [other, bad, query]);
    expect(changes.map(({ id, sameBefore }) => [id, sameBefore])).toEqual([
      ["list", true],
      ["query", false],
    ]);
    expect(formatChanges("rest-pages", changes)[1]).toEndWith(
      "(the recordings' version answers the same when asked again)",
    );
  });
});

test("a sample is spread over all recordings", () => {
  expect(spread([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 5)).toEqual([0, 2, 4, 6, 8]);
  expect(spread([0, 1, 2], 9)).toEqual([0, 1, 2]);
  for (const count of [1, 40, 77, 261]) expect(spread(Array(261).fill(0), count)).toHaveLength(count);
});

describe("versions of packages", () => {
  test("the newest release up to the version is taken", () => {
    const versions = ["5.9.0", "5.54.0", "5.55.0-beta.1", "5.56.0", "5.10.0"];
    expect(newestUpTo(versions, "5.55.1")).toBe("5.54.0");
    expect(newestUpTo(["5.56.0"], "5.55.1")).toBeUndefined();
  });

  /** A registry with a core that has not been published yet, whose dependencies lag in turn. */
  const registry: Record<string, Record<string, Record<string, string>>> = {
    "@strapi/strapi": { "5.55.1": { "@strapi/core": "5.55.1", "@strapi/utils": "5.55.1", vite: "5.4.21" } },
    "@strapi/core": { "5.54.0": { "@strapi/utils": "5.54.0", "@strapi/logger": "5.54.0" } },
    "@strapi/utils": { "5.54.0": {}, "5.55.1": {} },
    "@strapi/logger": { "5.54.0": {} },
    "@strapi/plugin-users-permissions": { "5.54.0": { "@strapi/design-system": "2.2.4" } },
    "@strapi/plugin-graphql": { "5.55.1": {}, "5.56.0": {} },
  };
  const view = async (spec: string, field: string): Promise<unknown> => {
    const at = spec.lastIndexOf("@");
    if (field === "dependencies") return registry[spec.slice(0, at)]![spec.slice(at + 1)];
    const versions = Object.keys(registry[spec]!);
    return versions.length === 1 ? versions[0] : versions;
  };

  test("packages that lag behind are found through their dependents", async () => {
    expect(await findLagging("5.55.1", view)).toEqual({
      "@strapi/core": "5.54.0",
      "@strapi/logger": "5.54.0",
      "@strapi/plugin-users-permissions": "5.54.0",
    });
  });

  test("a version that Strapi does not have is refused", async () => {
    await expect(findLagging("5.55.0", view)).rejects.toThrow("npm has no @strapi/strapi 5.55.0");
  });
});
