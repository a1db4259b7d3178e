/** Tools that people use with Strapi, unmodified, against a running server. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from "@apollo/client/core";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { preset } from "@graphql-codegen/client-preset";
import { codegen } from "@graphql-codegen/core";
import { createNoopProfiler } from "@graphql-codegen/plugin-helpers";
import { buildClientSchema, getIntrospectionQuery, parse, printSchema, validateSchema } from "graphql";
import { type Body, conformanceApp, FULL, type TestApp } from "../../project.ts";
import { asker, readData } from "./ask.ts";

let app: TestApp;
let url: string;

beforeAll(async () => {
  app = await conformanceApp();
  url = `${app.serve()}/graphql`;
  await readData(
    asker(app)(`mutation {
      createTag(data: {label: "apple"}) { documentId }
      createProduct(data: {name: "Lamp", parts: [], stock: 3, condition: used, barcode: 5, soldAt: "2024-01-01T10:00:00Z"}) { documentId }
    }`),
  );
});
afterAll(() => app.close());

const DOCUMENTS = `
  query Products($filters: ProductFiltersInput, $sort: [String]) {
    products_connection(filters: $filters, sort: $sort) {
      nodes { ...Card blocksZone { __typename ... on ComponentSharedQuote { body } ... on ComponentBasicCard { heading } } }
      pageInfo { total }
    }
  }
  fragment Card on Product { documentId name condition stock barcode soldAt parts { id name } }
  mutation Create($data: ProductInput!) { createProduct(data: $data) { ...Card } }
`;

/** A program that only compiles when the generated types are the right ones. */
const PROGRAM = `
import { ProductsDocument, type ProductsQuery, type ProductsQueryVariables, type ProductInput } from "./gql/graphql";
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
const document: TypedDocumentNode<ProductsQuery, ProductsQueryVariables> = ProductsDocument;
export const variables: ProductsQueryVariables = { filters: { name: { containsi: "lamp" } }, sort: ["name:asc"] };
export const input: ProductInput = { name: "Chair", condition: "new", parts: [{ name: "leg" }] };
export function total(answer: ProductsQuery): number | undefined {
  const [first] = answer.products_connection?.nodes ?? [];
  for (const entry of first?.blocksZone ?? []) if (entry?.__typename === "ComponentSharedQuote") return entry.body.length;
  return answer.products_connection?.pageInfo.total;
}
// @ts-expect-error a name is a text
export const wrong: ProductInput = { name: 5 };
export default document;
`;

test("graphql-codegen's client preset makes types that compile", async () => {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...FULL, "content-type": "application/json" },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  });
  const schema = buildClientSchema(((await response.json()) as Body).data);
  expect(validateSchema(schema)).toEqual([]);
  // below the packages, so that the generated files find those that they import
  const folder = mkdtempSync(join(import.meta.dir, "../../../node_modules/galley-codegen-"));
  try {
    const files = await preset.buildGeneratesSection({
      baseOutputDir: join(folder, "gql/"),
      schema: parse(printSchema(schema)),
      schemaAst: schema,
      documents: [{ location: "documents.graphql", document: parse(DOCUMENTS), rawSDL: DOCUMENTS }],
      config: { enumsAsTypes: true, scalars: { DateTime: "string", Long: "number | string" } },
      presetConfig: { fragmentMasking: false },
      plugins: [],
      pluginMap: {},
      profiler: createNoopProfiler(),
    });
    for (const file of files) {
      mkdirSync(dirname(file.filename), { recursive: true });
      writeFileSync(file.filename, await codegen(file));
    }
    writeFileSync(join(folder, "program.ts"), PROGRAM);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: "Preserve",
      moduleResolution: "bundler",
      target: "ESNext",
      lib: ["ESNext"],
      types: [],
      skipLibCheck: true,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
    const { exitCode, stdout } = Bun.spawnSync(["bunx", "tsc", "-p", folder]);
    expect(stdout.toString()).toBe("");
    expect(exitCode).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 180_000);

describe("Apollo Client", () => {
  const TAGS = gql`query Tags($first: Int) { tags(sort: "label", pagination: { limit: $first }) { documentId label } }`;
  const CREATE = gql`mutation Create($data: TagInput!) { createTag(data: $data) { documentId label } }`;
  const UPDATE = gql`mutation Update($id: ID!, $data: TagInput!) { updateTag(documentId: $id, data: $data) { documentId label } }`;

  const client = (headers: Record<string, string> = FULL): ApolloClient => {
    const cache = new InMemoryCache({ typePolicies: { Tag: { keyFields: ["documentId"] } } });
    return new ApolloClient({ link: new HttpLink({ uri: url, headers }), cache });
  };
  const labels = (data: unknown): string[] => (data as { tags: { label: string }[] }).tags.map(({ label }) => label);

  test("queries, writes, and updates what it has cached", async () => {
    const apollo = client();
    expect(labels((await apollo.query({ query: TAGS })).data)).toEqual(["apple"]);
    const { data } = await apollo.mutate<Body>({ mutation: CREATE, variables: { data: { label: "berry" } } });
    expect(data).toMatchObject({ createTag: { __typename: "Tag", label: "berry" } });
    const fresh = await apollo.query({ query: TAGS, fetchPolicy: "network-only" });
    expect(labels(fresh.data)).toEqual(["apple", "berry"]);
    await apollo.mutate({ mutation: UPDATE, variables: { id: data.createTag.documentId, data: { label: "cherry" } } });
    expect(labels((await apollo.query({ query: TAGS, fetchPolicy: "cache-only" })).data)).toEqual(["apple", "cherry"]);
  });

  test("understands errors, and data beside them", async () => {
    const failed = await client({})
      .mutate({ mutation: CREATE, variables: { data: { label: "x" } } })
      .catch((error: unknown) => error);
    expect(CombinedGraphQLErrors.is(failed)).toBe(true);
    expect((failed as CombinedGraphQLErrors).errors).toMatchObject([
      { message: "Forbidden access", path: ["createTag"], extensions: { code: "FORBIDDEN" } },
    ]);
    const query = gql`{ tags(pagination: { limit: 1 }) { documentId label } category(documentId: "x") { name } }`;
    const partial = await client({}).query({ query, errorPolicy: "all" });
    expect(partial.data).toMatchObject({ tags: [{ label: "apple" }], category: null });
    expect(partial.error?.message).toContain("Forbidden access");
  });

  test("sends hashes instead of queries, by GET", async () => {
    const requests: string[] = [];
    const fetcher = Object.assign(
      (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
        requests.push(`${init?.method} ${String(input).includes("query=") ? "text" : "hash"}`);
        return fetch(input, init);
      },
      { preconnect: fetch.preconnect },
    );
    const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
    const hashes = new PersistedQueryLink({ sha256, useGETForHashedQueries: true });
    const http = new HttpLink({ uri: url, headers: FULL, fetch: fetcher, useGETForQueries: true });
    const apollo = new ApolloClient({ link: hashes.concat(http), cache: new InMemoryCache() });
    const ask = () => apollo.query({ query: TAGS, variables: { first: 1 }, fetchPolicy: "network-only" });
    expect(labels((await ask()).data)).toEqual(["apple"]);
    expect(labels((await ask()).data)).toEqual(["apple"]);
    expect(requests).toEqual(["GET hash", "GET text", "GET hash"]);
  });
});
