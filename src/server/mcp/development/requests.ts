/** Tools for code that uses the API: types of the part that is asked for, and requests that have been run. */
import { z } from "zod";
import { openapiDocument } from "../../../api/descriptions/openapi.ts";
import { typescriptTypes } from "../../../api/descriptions/typescript.ts";
import { typeName } from "../../../api/graphql/names.ts";
import { componentAttributes, componentUids } from "../../../engine/schema/entries.ts";
import { type ContentType, type Model, routeName, type Schema } from "../../../engine/schema/model.ts";
import { notFound } from "../../../lib/errors.ts";
import { CONTENT_NOTICE, shortened, textPart } from "./answers.ts";
import { caller } from "./explain.ts";
import { type DevelopmentTool, tool } from "./tool.ts";
import { findType, type Workspace } from "./workspace.ts";

const uid = z.string().max(200);

function findTypes({ project: { model } }: Workspace, uids: readonly string[]): ContentType[] {
  return uids.map((name) => {
    const type = model.types.get(name);
    if (!type) throw notFound(`There is no content-type ${name}: model_show lists them`);
    return type;
  });
}

/** The components that types use, at any depth. */
function usedComponents(model: Model, types: readonly ContentType[]): Model["components"] {
  const used = new Map<string, NonNullable<ReturnType<Model["components"]["get"]>>>();
  const visit = (uids: readonly string[]): void => {
    for (const name of uids) {
      const found = model.components.get(name);
      if (!found || used.has(name)) continue;
      used.set(name, found);
      visit(componentsOf(found));
    }
  };
  visit(types.flatMap(componentsOf));
  return used;
}

const componentsOf = (schema: Schema): string[] => componentAttributes(schema).flatMap(componentUids);

/** The model with only these types, and what they are made of. */
const partOf = (model: Model, types: readonly ContentType[]): Model => ({
  ...model,
  types: new Map(types.map((type) => [type.uid, type])),
  components: usedComponents(model, types),
});

function graphqlTypes({ model, settings }: Workspace["project"], types: readonly ContentType[]): string {
  const { createSchema } =
    require("../../../api/graphql/schema/schema.ts") as typeof import("../../../api/graphql/schema/schema.ts");
  const { printType } = require("graphql") as typeof import("graphql");
  const schema = createSchema(model, settings.graphql);
  const names = types.map(typeName);
  const ofTypes = Object.values(schema.getTypeMap()).filter(({ name }) =>
    names.some((prefix) => name.startsWith(prefix)),
  );
  const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((root) =>
    root
      ? printType(root)
          .split("\n")
          .filter((line) => names.some((name) => new RegExp(`: \\[?${name}`).test(line)))
          .map((line) => `# ${root.name}: ${line.trim()}`)
      : [],
  );
  return [...roots, ...ofTypes.map((type) => printType(type))].join("\n\n");
}

/** Escaped as JSON, it is longer. */
const MAX_PART = 14_000;

const FORMATS = ["typescript", "openapi", "graphql"] as const;

type Printer = (workspace: Workspace, types: readonly ContentType[]) => string;

const printers: Readonly<Record<(typeof FORMATS)[number], Printer>> = {
  typescript: ({ project: { model } }, types) => typescriptTypes(partOf(model, types)),
  openapi: ({ project: { model, settings } }, types) =>
    JSON.stringify(openapiDocument(partOf(model, types), { prefix: settings.rest.prefix, url: settings.server.url })),
  graphql: ({ project }, types) => graphqlTypes(project, types),
};

/** A query string in brackets. */
function queryString(query: Readonly<Record<string, unknown>>): string {
  const { stringify } = require("qs") as typeof import("qs");
  return stringify(query, { encodeValuesOnly: true });
}

interface CodeOf {
  readonly type: ContentType;
  readonly path: string;
  readonly prefix: string;
  readonly documentId: string | undefined;
  readonly query: Readonly<Record<string, unknown>>;
  /** The type of its `data`. */
  readonly data: string;
}

const SERVER = 'process.env.STRAPI_URL ?? "http://localhost:1337"';

const codeWith = {
  fetch: ({ path, data }: CodeOf) => [
    `const response = await fetch(\`\${${SERVER}}${path}\`);`,
    'if (!response.ok) throw new Error("The request failed with " + response.status);',
    `const { data } = (await response.json()) as { data: ${data} };`,
  ],
  "@strapi/client": ({ type, prefix, documentId, query, data }: CodeOf) => {
    const kind = type.kind === "singleType" ? "single" : "collection";
    const args = [...(documentId === undefined ? [] : [documentId]), query].map((value) => JSON.stringify(value));
    const call = `${documentId === undefined ? "find" : "findOne"}(${args.join(", ")})`;
    return [
      'import { strapi } from "@strapi/client";',
      "",
      `const client = strapi({ baseURL: \`\${${SERVER}}${prefix}\` });`,
      `const response = await client.${kind}(${JSON.stringify(routeName(type))}).${call};`,
      `const data = response.data as unknown as ${data};`,
    ];
  },
} as const;
const LIBRARIES = ["fetch", "@strapi/client"] as const satisfies readonly (keyof typeof codeWith)[];

export const requestTools: readonly DevelopmentTool[] = [
  tool({
    name: "types",
    title: "Types of content-types",
    description:
      "Prints TypeScript types, OpenAPI or the GraphQL schema of some content-types and what they are made of.",
    input: z.strictObject({
      uids: z.array(uid).min(1).max(10),
      format: z.enum(FORMATS).optional(),
      from: z.number().int().min(0).optional().describe("The next of a part"),
    }),
    run: (workspace, { uids, format = "typescript", from = 0 }) => ({
      format,
      ...textPart(printers[format](workspace, findTypes(workspace, uids)), from, MAX_PART),
    }),
  }),
  tool({
    name: "request",
    title: "Code for a request",
    description:
      "Writes the code of a REST read, such as articles with author and cover, newest first, and runs it as a caller to check it.",
    input: z.strictObject({
      uid,
      documentId: z.string().max(255).optional(),
      fields: z.array(z.string()).max(50).optional(),
      populate: z.union([z.string(), z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
      filters: z.record(z.string(), z.unknown()).optional(),
      sort: z.union([z.string(), z.array(z.string())]).optional(),
      limit: z.number().int().min(1).max(100).optional(),
      library: z.enum(LIBRARIES).optional().describe("fetch by default"),
      locale: z.string().max(20).optional(),
      as: caller,
    }),
    run: async (workspace, { uid: name, documentId, limit, library = "fetch", as, ...parts }) => {
      const type = findType(workspace.project, name);
      const isList = type.kind === "collectionType" && documentId === undefined;
      const { prefix } = workspace.project.settings.rest;
      const base = `${prefix}/${routeName(type)}`;
      const query = { ...parts, ...(limit && isList ? { pagination: { pageSize: limit } } : {}) };
      const search = queryString(query);
      const path = `${base}${documentId === undefined ? "" : `/${documentId}`}${search === "" ? "" : `?${search}`}`;
      const { steps, answer } = await workspace.explain({ caller: as, url: path });
      const problems = steps.filter(({ outcome }) => outcome !== "passed").map(({ text }) => text);
      const { data } = (answer?.body ?? {}) as { readonly data?: unknown };
      const example = Array.isArray(data) ? data[0] : data;
      return {
        code: [
          `import type { ${typeName(type)} } from "./types"; // galley types --out types.ts`,
          ...codeWith[library]({
            type,
            path,
            prefix,
            documentId,
            query,
            data: `${typeName(type)}${isList ? "[]" : ""}`,
          }),
        ].join("\n"),
        status: answer?.status ?? null,
        problems,
        ...(example === undefined ? {} : { notice: CONTENT_NOTICE, example: shortened(example) }),
      };
    },
  }),
];
