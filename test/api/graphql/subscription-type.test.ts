/** A content-type that GraphQL names as it does the root of subscriptions. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ADMIN, type Body, configFile, type TestApp, testApp, typeFile } from "../../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({
      roles: { public: ["api::subscription.*"] },
      tokens: [
        { name: "full", type: "full-access", key: "test-full-access" },
        { name: "custom", type: "custom", key: "test-custom", permissions: ["api::subscription.subscription.find"] },
      ],
    }),
    ...typeFile("subscription", { plan: { type: "string" }, price: { type: "integer", required: true } }),
  });
  for (const plan of ["small", "large"]) {
    await app.documents("api::subscription.subscription").create({ data: { plan, price: 1 } });
  }
});
afterAll(() => app.close());

const ask = async (query: string, headers: Record<string, string> = {}): Promise<Body> =>
  (await app.call("POST", "/graphql", { query }, headers)).body;

test("has fields for whoever is signed in, as in Strapi", async () => {
  // as often as it takes for operations to be prepared
  for (let request = 0; request < 3; request++) {
    const { data, errors } = await ask("{ subscriptions { documentId plan } }");
    expect(data).toEqual({ subscriptions: [null, null] });
    expect(errors.map(({ path, extensions }: Body) => [path.join("."), extensions.code])).toEqual([
      ["subscriptions.0.plan", "FORBIDDEN"],
      ["subscriptions.1.plan", "FORBIDDEN"],
      ["subscriptions.0.documentId", "FORBIDDEN"],
      ["subscriptions.1.documentId", "FORBIDDEN"],
    ]);
    expect(await ask("{ subscriptions { plan price } }", ADMIN)).toEqual({
      data: {
        subscriptions: [
          { plan: "small", price: 1 },
          { plan: "large", price: 1 },
        ],
      },
    });
  }
  const { errors } = await ask("{ subscriptions { plan } }", { authorization: "Bearer test-custom" });
  expect(errors).toHaveLength(2);
});
