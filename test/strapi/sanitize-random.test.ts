/** What is left of sanitized parameters passes the check of parameters, whatever they were: nothing hidden gets through one of the two. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { checkParams, type Params } from "../../src/engine/query/parse.ts";
import { contentType, type Schema, targetOf } from "../../src/engine/schema/model.ts";
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
  return (attribute && targetOf(project.model, attribute)) ?? schema;
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
