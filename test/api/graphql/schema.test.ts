/** The schema that a model becomes is the one that Strapi makes of it. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSchema, type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";
import { createSchema } from "../../../src/api/graphql/schema/schema.ts";
import { openProject } from "../../../src/server/project/project.ts";
import { CONFORMANCE, configFile, projectFolder, typeFile } from "../../project.ts";

interface Difference {
  readonly reference: string;
  readonly galley: string;
  readonly reason: string;
}

const SECRET = "Strapi answers the hash of a password; here it is always null, which a non-null field cannot be";

/** Where Galley's schema differs on purpose: lines of Strapi's, and what stands there instead. */
const differences: Readonly<Record<string, readonly Difference[]>> = {
  conformance: [],
  odd: [{ reference: "  reqPass: String!", galley: "  reqPass: String", reason: SECRET }],
};

const projects: Readonly<Record<string, string>> = {
  conformance: CONFORMANCE,
  odd: join(import.meta.dir, "projects/odd"),
  v4: join(import.meta.dir, "../../conformance/project-v4"),
};

const sorted = (schema: GraphQLSchema): string[] => printSchema(lexicographicSortSchema(schema)).split("\n");

async function readSchema(root: string): Promise<GraphQLSchema> {
  const project = openProject(root, { memory: true, publicRead: false, environment: {} });
  try {
    return createSchema(project.model, project.settings.graphql);
  } finally {
    await project.idle();
    project.close();
  }
}

describe("the schema equals Strapi's", () => {
  for (const [name, root] of Object.entries(projects)) {
    test(`of the project "${name}"`, async () => {
      const text = readFileSync(join(import.meta.dir, `schemas/${name}.graphql`), "utf8");
      const allowed = differences[name] ?? [];
      const expected = sorted(buildSchema(text)).map((line) => {
        return allowed.find(({ reference }) => reference === line)?.galley ?? line;
      });
      expect(sorted(await readSchema(root))).toEqual(expected);
    });
  }
});

describe("names", () => {
  const schemaFor = async (files: Readonly<Record<string, string>>): Promise<GraphQLSchema> => {
    const { root, remove } = projectFolder({ ...configFile(), ...files });
    try {
      return await readSchema(root);
    } finally {
      remove();
    }
  };

  test("values of an enumeration that are not names become names, and keep their text inside", async () => {
    const values = ["Größe 1", "true", "a-b"];
    const schema = await schemaFor(typeFile("thing", { size: { type: "enumeration", enum: values } }));
    const type = schema.getType("ENUM_THING_SIZE");
    expect(type).toMatchObject({ name: "ENUM_THING_SIZE" });
    const found = "getValues" in type! ? type.getValues().map(({ name, value }) => [name, value]) : [];
    expect(found).toEqual([
      ["Groesse_1", "Größe 1"],
      ["_true", "true"],
      ["a_b", "a-b"],
    ]);
  });

  test("two attributes may share the name of an enumeration as long as they share its values", async () => {
    const shared = { type: "enumeration", enum: ["a", "b"], enumName: "Letters" };
    const schema = await schemaFor(typeFile("thing", { one: shared, two: shared }));
    expect(schema.getType("Letters")).toBeDefined();
    const other = { ...shared, enum: ["c"] };
    expect(schemaFor(typeFile("thing", { one: shared, two: other }))).rejects.toThrow(/Letters/);
  });
});
