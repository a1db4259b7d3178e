/**
 * What is left of sanitized filters and sort passes the check of parameters, and what is left of fields and populate reads nothing hidden,
 * whatever they were: nothing gets through one of the two.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { checkParams } from "../../src/engine/query/check-params.ts";
import { checkQuery, isHidden, unrestricted } from "../../src/engine/query/check-query.ts";
import { type Params, readQuery } from "../../src/engine/query/parse.ts";
import type { Query } from "../../src/engine/query/tree.ts";
import { contentType, findTarget, type Schema } from "../../src/engine/schema/model.ts";
import { unlimited } from "../../src/lib/budget.ts";
import { ApiError } from "../../src/lib/errors.ts";
import { openProject, type Project } from "../../src/server/project/project.ts";
import { sanitizeQuery } from "../../src/strapi/data/sanitize-query.ts";
import { CONFORMANCE } from "../project.ts";
import { Random } from "../random.ts";

let project: Project;
beforeAll(async () => {
  project = openProject(CONFORMANCE, { memory: true, publicRead: false, environment: {} });
  await project.idle();
});
afterAll(() => project.close());

const HIDDEN_TYPES = new Set(["api::author.author", "admin::user", "plugin::users-permissions.role"]);
const canRead = (uid: string): boolean => !HIDDEN_TYPES.has(uid);

/** Attributes, ids, operators and unknown names. */
function randomKey(random: Random, schema: Schema): string {
  if (random.chance(0.7)) return random.pick([...schema.attributes.keys()]);
  return random.pick(["id", "documentId", "$and", "$or", "$not", "$eq", "$in", "$null", "nothing", "password"]);
}

function targetBehind(schema: Schema, key: string): Schema {
  const attribute = schema.attributes.get(key);
  return (attribute && findTarget(project.model, attribute)) ?? schema;
}

function randomFilters(random: Random, schema: Schema, depth: number): unknown {
  if (depth === 0) return random.pick<unknown>(["a", 1, null, ["a", "b"], { $eq: "a" }]);
  if (random.chance(0.2)) return [0, 1].map(() => randomFilters(random, schema, depth - 1));
  const keys = [randomKey(random, schema), randomKey(random, schema)];
  return Object.fromEntries(keys.map((key) => [key, randomFilters(random, targetBehind(schema, key), depth - 1)]));
}

function randomPath(random: Random, schema: Schema, depth: number): string {
  const key = randomKey(random, schema);
  return depth === 0 || random.chance(0.5) ? key : `${key}.${randomPath(random, targetBehind(schema, key), depth - 1)}`;
}

function randomSort(random: Random, schema: Schema, depth: number): unknown {
  const terms = [0, 1].map(() => `${randomPath(random, schema, 2)}${random.pick(["", ":asc", ":DESC"])}`);
  if (depth === 0 || random.chance(0.3)) return random.pick<unknown>([terms.join(","), terms, terms[0]]);
  const keys = [randomKey(random, schema), randomKey(random, schema)];
  const object = Object.fromEntries(
    keys.map((key) => {
      const target = targetBehind(schema, key);
      return [key, target === schema ? "asc" : randomSort(random, target, depth - 1)];
    }),
  );
  return random.chance(0.3) ? [object] : object;
}

test.each(["filters", "sort"])("%s", (name) => {
  const random = new Random(32);
  let refused = 0;
  for (let round = 0; round < 4000; round++) {
    const schema = contentType(
      project.model,
      random.pick(["api::article.article", "api::product.product", "api::note.note"]),
    );
    const value = name === "filters" ? randomFilters(random, schema, 3) : randomSort(random, schema, 2);
    const check = (params: Params): unknown => {
      try {
        checkParams(project.model, schema, params, canRead);
        return undefined;
      } catch (error) {
        return String(error);
      }
    };
    if (check({ [name]: value }) !== undefined) refused++;
    const left = sanitizeQuery(project.model, schema, { [name]: value }, canRead);
    expect({ value, left, refused: check(left) }).toEqual({ value, left, refused: undefined });
  }
  // the values are neither all valid nor all invalid
  expect(refused).toBeGreaterThan(1000);
});

/** Names that are populated by themselves, by paths, in lists, and through zones. */
function randomPopulate(random: Random, schema: Schema, depth: number): unknown {
  const path = (): string => {
    const steps = randomPath(random, schema, 2).split(".");
    return random.pick(["", "", " ", "."]) + steps.join(random.pick([".", ".", "..", " . "]));
  };
  if (depth === 0 || random.chance(0.4))
    return random.pick<unknown>([path(), `${path()},${path()}`, [path(), path()], [`${path()},${path()}`], "*"]);
  const keys = [randomKey(random, schema), randomKey(random, schema)];
  return Object.fromEntries(keys.map((key) => [key, randomOptions(random, schema, key, depth)]));
}

function randomOptions(random: Random, schema: Schema, key: string, depth: number): unknown {
  const attribute = schema.attributes.get(key);
  const target = targetBehind(schema, key);
  const options = { populate: randomPopulate(random, target, depth - 1) };
  if (attribute?.kind !== "zone") return random.pick<unknown>([true, options, { ...options, fields: ["id"] }]);
  const uid = random.pick(attribute.components);
  return { on: { [uid]: { populate: randomPopulate(random, project.model.components.get(uid)!, depth - 1) } } };
}

/** Types of polymorphic relations are restricted with `on` only. */
const populated = ({ populate }: Query): unknown[] =>
  populate.map(({ key, attribute, query, on }) => [
    key,
    query && populated(query),
    attribute.kind === "zone" && on && [...on].map(([uid, own]) => [uid, populated(own)]),
  ]);

test("populate", () => {
  const random = new Random(32);
  let read = 0;
  let removed = 0;
  for (let round = 0; round < 4000; round++) {
    const schema = contentType(
      project.model,
      random.pick(["api::article.article", "api::homepage.homepage", "api::note.note"]),
    );
    const value = randomPopulate(random, schema, 3);
    const readAs = (params: Params): Query | undefined => {
      try {
        return readQuery(project.model, schema, params, unrestricted);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        return undefined;
      }
    };
    const all = readAs({ populate: value });
    const query = readAs(sanitizeQuery(project.model, schema, { populate: value }, canRead));
    if (!query) continue;
    const own = checkQuery(project.model, query, { canRead, budget: unlimited });
    expect({ value, left: populated(query) }).toEqual({ value, left: populated(own) });
    if (query.populate.length > 0) read++;
    if (all && !Bun.deepEquals(populated(all), populated(query))) removed++;
  }
  expect(read).toBeGreaterThan(500);
  expect(removed).toBeGreaterThan(100);
});

test("fields", () => {
  const random = new Random(32);
  const schema = contentType(project.model, "plugin::users-permissions.user");
  const names = [...schema.attributes.keys(), "id", "*", "nothing"];
  for (let round = 0; round < 2000; round++) {
    const [first, second] = [random.pick(names), ` ${random.pick(names)}`];
    const value = random.pick<unknown>([first, `${first},${second}`, [first, second], [[first], second]]);
    const { fields } = sanitizeQuery(project.model, schema, { fields: value }, canRead);
    const left = [fields ?? []].flat(2).flatMap((name) => String(name).split(","));
    const hidden = left.filter((name) => {
      const attribute = schema.attributes.get(name.trim());
      return attribute && isHidden(schema, attribute, canRead);
    });
    expect({ value, hidden }).toEqual({ value, hidden: [] });
  }
});
