/** GraphQL over HTTP: methods, content types, bodies, and the words in which a request is refused. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Body, conformanceApp, FULL, type TestApp } from "../../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await conformanceApp();
});
afterAll(() => app.close());

const QUERY = "{ tags { label } }";
const MUTATION = 'mutation { createTag(data: {label: "x"}) { label } }';
const JSON_TYPE = { "content-type": "application/json" };
const ANSWER = { data: { tags: [] } };

interface Sent {
  readonly method?: string;
  /** Below the endpoint. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const post = (body: unknown, headers: Sent["headers"] = JSON_TYPE): Sent => ({
  method: "POST",
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const get = (query: string, headers: Sent["headers"] = JSON_TYPE): Sent => ({ path: `?${query}`, headers });
const encoded = (query: string): string => `query=${encodeURIComponent(query)}`;

async function send({
  method = "GET",
  path = "",
  headers = {},
  body,
}: Sent): Promise<{ response: Response; body: Body }> {
  const init = { method, headers: { ...FULL, ...headers }, ...(body === undefined ? {} : { body }) };
  const response = await app.handle(new Request(`http://localhost/graphql${path}`, init));
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") && text !== "";
  return { response, body: isJson ? JSON.parse(text) : text };
}

describe("a request is answered", () => {
  const cases: Readonly<Record<string, Sent>> = {
    "as POST of JSON": post({ query: QUERY }),
    "with parameters of the content type": post(
      { query: QUERY },
      { "content-type": "Application/JSON; charset=UTF-8" },
    ),
    "with a slash at the end": { ...post({ query: QUERY }), path: "/" },
    "as GET with a content type": get(encoded(QUERY)),
    "as GET with a header that no form sends": get(encoded(QUERY), { "apollo-require-preflight": "1" }),
    "as GET with variables": get(
      `${encoded("query Q($n: Int) { tags(pagination: {limit: $n}) { label } }")}&variables={"n":1}`,
    ),
    "as a form with such a header": post(encoded(QUERY), {
      "content-type": "application/x-www-form-urlencoded",
      "x-apollo-operation-name": "Q",
    }),
    "with keys that mean nothing": post({
      query: QUERY,
      variables: null,
      operationName: null,
      extensions: null,
      id: 5,
    }),
    "when one of several operations is named": post({
      query: `query A ${QUERY} query B { __typename }`,
      operationName: "A",
    }),
  };
  for (const [name, sent] of Object.entries(cases)) {
    test(name, async () => {
      const { response, body } = await send(sent);
      expect(response.status).toBe(200);
      expect(body).toEqual(ANSWER);
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("no-store");
    });
  }

  test("at an address in other letter case", async () => {
    const request = new Request(`http://localhost/GraphQL?${encoded(QUERY)}`, { headers: { ...FULL, ...JSON_TYPE } });
    expect(await (await app.handle(request)).json()).toEqual(ANSWER);
  });

  test("in the type that the client prefers", async () => {
    const typeFor = async (accept: string): Promise<string | null> =>
      (await send(post({ query: QUERY }, { ...JSON_TYPE, accept }))).response.headers.get("content-type");
    const response = "application/graphql-response+json; charset=utf-8";
    expect(await typeFor("application/graphql-response+json")).toBe(response);
    expect(await typeFor("application/graphql-response+json, application/json")).toBe(response);
    expect(await typeFor("application/graphql-response+json;q=0.5, application/json;q=0.9")).toStartWith(
      "application/json",
    );
    expect(await typeFor("text/html, */*;q=0.1")).toStartWith("application/json");
  });
});

const BATCH = "Operation batching disabled.";
const MISSING = "POST body missing, invalid Content-Type, or JSON object has no keys.";
const EMPTY = "GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.";
const SUPPORTED = "Apollo Server supports only GET/POST requests.";
const TWICE = "The 'query' search parameter may only be specified once.";
const CSRF =
  /^This operation has been blocked as a potential Cross-Site Request Forgery \(CSRF\)\..*apollo-require-preflight\n$/s;
const NOT_ACCEPTED = /^An 'accept' header was provided for this request which does not accept application\/json/;
const readsOnly = (kind: string): string => `GET requests only support query operations, not ${kind} operations`;
const encodedText = (name: string): string =>
  `\`${name}\` in a POST body should be provided as an object, not a recursively JSON-encoded string.`;
const noObject = (name: string): string => `\`${name}\` in a POST body must be an object if provided.`;
const BAD = "BAD_REQUEST";
const UNRESOLVED = "OPERATION_RESOLUTION_FAILURE";
const TWO = `query A ${QUERY} query B ${QUERY}`;
const hash = (text: string) => ({
  persistedQuery: { version: 1, sha256Hash: new Bun.CryptoHasher("sha256").update(text).digest("hex") },
});

test("what Apollo writes ends in a line break, and Strapi's own errors do not", async () => {
  const endOf = async ({ method = "GET", path = "", headers = {}, body }: Sent): Promise<string> => {
    const init = { method, headers: { ...FULL, ...headers }, ...(body === undefined ? {} : { body }) };
    return (await (await app.handle(new Request(`http://localhost/graphql${path}`, init))).text()).slice(-2);
  };
  for (const query of [QUERY, QUERY, "{ nothing }", ""]) expect(await endOf(post({ query }))).toBe("}\n");
  expect(await endOf(post({ query: QUERY }, { ...JSON_TYPE, authorization: "Bearer nobody" }))).toBe("}}");
});

describe("a request is refused", () => {
  const cases: Readonly<Record<string, readonly [sent: Sent, status: number, message: string | RegExp, code: string]>> =
    {
      "that a page could send as GET": [get(encoded(QUERY), {}), 400, CSRF, BAD],
      "that a form could send": [
        post(encoded(QUERY), { "content-type": "application/x-www-form-urlencoded" }),
        400,
        CSRF,
        BAD,
      ],
      "with an empty protecting header": [get(encoded(QUERY), { "apollo-require-preflight": "" }), 400, CSRF, BAD],
      "that is a text": [post(JSON.stringify({ query: QUERY }), { "content-type": "text/plain" }), 400, CSRF, BAD],
      "with any method but GET and POST": [{ method: "PUT", headers: JSON_TYPE, body: "{}" }, 405, SUPPORTED, BAD],
      "with such a method and no protection": [{ method: "DELETE" }, 400, CSRF, BAD],
      "as GET that changes something": [get(encoded(MUTATION)), 405, readsOnly("mutation"), BAD],
      "as GET that subscribes": [get(encoded(`subscription ${QUERY}`)), 405, readsOnly("subscription"), BAD],
      "with a query twice": [get(`${encoded(QUERY)}&${encoded(QUERY)}`), 400, TWICE, BAD],
      "with an empty query": [get("query="), 400, EMPTY, BAD],
      "with variables in the address that are not JSON": [
        get(`${encoded(QUERY)}&variables={n:1}`),
        400,
        "The variables search parameter contains invalid JSON.",
        BAD,
      ],
      "with variables in the address that are not an object": [
        get(`${encoded(QUERY)}&variables=[]`),
        400,
        "The variables search parameter should contain a JSON-encoded object.",
        BAD,
      ],
      "with extensions that are not an object": [
        get(`${encoded(QUERY)}&extensions=null`),
        400,
        "The extensions search parameter should contain a JSON-encoded object.",
        BAD,
      ],
      "that is a list": [post([{ query: QUERY }]), 400, BATCH, BAD],
      "that is an empty list": [post([]), 400, BATCH, BAD],
      "without a body": [post(""), 400, MISSING, BAD],
      "with an empty object": [post({}), 400, MISSING, BAD],
      "of another content type": [post(QUERY, { "content-type": "application/graphql" }), 400, MISSING, BAD],
      "without a query": [post({ variables: {} }), 400, EMPTY, BAD],
      "with a query that is null": [post({ query: null }), 400, EMPTY, BAD],
      "with a query that is not text": [post({ query: 5 }), 400, "GraphQL queries must be strings.", BAD],
      "with variables as a text": [post({ query: QUERY, variables: "{}" }), 400, encodedText("variables"), BAD],
      "with variables as a list": [post({ query: QUERY, variables: [] }), 400, noObject("variables"), BAD],
      "with extensions as a text": [post({ query: QUERY, extensions: "x" }), 400, encodedText("extensions"), BAD],
      "with extensions as a number": [post({ query: QUERY, extensions: 1 }), 400, noObject("extensions"), BAD],
      "with an operation's name that is not text": [
        post({ query: QUERY, operationName: 5 }),
        400,
        "`operationName` in a POST body must be a string if provided.",
        BAD,
      ],
      "with several operations and no name": [
        post({ query: TWO }),
        400,
        "Must provide operation name if query contains multiple operations.",
        UNRESOLVED,
      ],
      "with the name of no operation": [
        post({ query: TWO, operationName: "C" }),
        400,
        'Unknown operation named "C".',
        UNRESOLVED,
      ],
      "with an empty name": [post({ query: TWO, operationName: "" }), 400, 'Unknown operation named "".', UNRESOLVED],
      "with no operation at all": [
        post({ query: "fragment F on Tag { label }" }),
        400,
        'Fragment "F" is never used.',
        "GRAPHQL_VALIDATION_FAILED",
      ],
      "whose answer the client does not accept": [
        post({ query: QUERY }, { ...JSON_TYPE, accept: "text/plain" }),
        406,
        NOT_ACCEPTED,
        BAD,
      ],
      "with the hash of an unknown query": [
        post({ extensions: hash("{ unknown }") }),
        200,
        "PersistedQueryNotFound",
        "PERSISTED_QUERY_NOT_FOUND",
      ],
      "with the hash of another query": [
        post({ query: QUERY, extensions: hash(MUTATION) }),
        400,
        "provided sha does not match query",
        "INTERNAL_SERVER_ERROR",
      ],
      "with another version of hashes": [
        post({ extensions: { persistedQuery: { version: 2 } } }),
        400,
        "Unsupported persisted query version",
        "INTERNAL_SERVER_ERROR",
      ],
    };
  for (const [name, [sent, status, message, code]] of Object.entries(cases)) {
    test(name, async () => {
      const { response, body } = await send(sent);
      expect({ status: response.status, body }).toEqual({
        status,
        body: {
          errors: [
            expect.objectContaining({
              message: typeof message === "string" ? message : expect.stringMatching(message),
              extensions: { code },
            }),
          ],
        },
      });
    });
  }

  test("with malformed JSON, or a value that is not an object, in the envelope of REST", async () => {
    for (const text of ['{"query":', '"abc"', "5", "null"]) {
      const { response, body } = await send(post(text));
      expect(response.status).toBe(400);
      expect(body).toMatchObject({
        data: null,
        error: { status: 400, name: "SyntaxError", message: expect.any(String) },
      });
    }
  });

  test("with an unknown token, whatever it asks for", async () => {
    const { response, body } = await send(post("[]", { authorization: "Bearer nobody", "content-type": "text/plain" }));
    expect(response.status).toBe(401);
    expect(body).toMatchObject({ data: null, error: { status: 401, message: "Missing or invalid credentials" } });
  });

  test("before anything is done, when the answer would not be accepted", async () => {
    await send(post({ query: MUTATION }, { ...JSON_TYPE, accept: "image/png" }));
    expect((await send(post({ query: QUERY }))).body).toEqual(ANSWER);
  });

  test("as HEAD without a body, but with the methods that there are", async () => {
    const { response, body } = await send({ method: "HEAD", path: `?${encoded(QUERY)}`, headers: JSON_TYPE });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, POST");
    expect(body).toBe("");
  });
});

describe("a persisted query", () => {
  test("is known by its hash once it has been sent, in GET as well", async () => {
    const query = "query Kept { tags { label color } }";
    const extensions = hash(query);
    expect((await send(post({ extensions }))).body.errors[0].message).toBe("PersistedQueryNotFound");
    expect((await send(post({ query, extensions }))).body).toEqual(ANSWER);
    expect((await send(post({ extensions }))).body).toEqual(ANSWER);
    expect((await send(get(`extensions=${encodeURIComponent(JSON.stringify(extensions))}`))).body).toEqual(ANSWER);
  });

  test("is not kept when it is wrong", async () => {
    const query = "{ tags { nope } }";
    await send(post({ query, extensions: hash(query) }));
    expect((await send(post({ extensions: hash(query) }))).body.errors[0].message).toBe("PersistedQueryNotFound");
  });
});

describe("other origins", () => {
  test("may read answers without cookies, and ask beforehand", async () => {
    const origin = "http://page.test";
    const { response } = await send(post({ query: QUERY }, { ...JSON_TYPE, origin }));
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    // a star with it is what browsers refuse to scripts that send cookies, as Strapi has it
    expect(response.headers.get("access-control-allow-credentials")).toBe("true");
    const preflight = await send({ method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });
    expect(preflight.response.status).toBe(204);
    expect(preflight.response.headers.get("access-control-allow-origin")).toBe(origin);
    expect(preflight.response.headers.get("access-control-allow-headers")).toContain("Authorization");
  });
});

describe("errors of validation", () => {
  const messages = async (query: string, variables = {}): Promise<{ status: number; errors: Body }> => {
    const { response, body } = await send(post({ query, variables }));
    return { status: response.status, errors: body.errors };
  };

  test("of depth come first, one for each branch that is too deep", async () => {
    const deep = `${"parent { ".repeat(31)}name slug${" }".repeat(31)}`;
    const { status, errors } = await messages(`query D { categories { ${deep} nope } }`);
    expect(status).toBe(400);
    expect(errors.map(({ message }: Body) => message)).toEqual([
      "'D' exceeds maximum operation depth of 30",
      'Cannot query field "nope" on type "Category". Did you mean "name"?',
    ]);
    const limit = `{ categories { ${"parent { ".repeat(29)}name${" }".repeat(29)} } }`;
    expect((await messages(limit)).errors).toBeUndefined();
  });

  test("of variables are bad input, and have no data", async () => {
    const { status, errors } = await messages(
      "query Q($d: DateTime) { articles(filters: {createdAt: {gt: $d}}) { title } }",
      { d: 5 },
    );
    expect(status).toBe(400);
    expect(errors).toEqual([
      {
        message: 'Variable "$d" got invalid value 5; DateTime cannot represent non string or Date type 5',
        locations: [{ line: 1, column: 9 }],
        extensions: { code: "BAD_USER_INPUT" },
      },
    ]);
  });

  const literals: Readonly<Record<string, readonly [literal: string, message: string]>> = {
    "a day that does not exist": [
      'releaseDate: "2023-02-29"',
      "Date cannot represent an invalid date-string 2023-02-29.",
    ],
    "a number for a day": ["releaseDate: 5", "Date cannot represent non string type 5"],
    "an instant without a zone": [
      'soldAt: "2024-01-01T10:00:00"',
      "DateTime cannot represent an invalid date-time-string 2024-01-01T10:00:00.",
    ],
    "an instant with a 60th second": [
      'soldAt: "2024-01-01T10:00:60Z"',
      "DateTime cannot represent an invalid date-time-string 2024-01-01T10:00:60Z.",
    ],
    "a list for an instant": ["soldAt: []", "DateTime cannot represent non string or Date type false"],
    "a time without seconds": [
      'opensAt: "08:30"',
      'Expected value of type "Time", found "08:30"; Invalid time format, expected HH:mm:ss.SSS',
    ],
    "a number for a time": [
      "opensAt: 8",
      'Expected value of type "Time", found 8; Time cannot represent non string type',
    ],
    "a fraction for a big number": [
      "barcode: 1.5",
      'Expected value of type "Long", found 1.5; Cannot convert 1.5 to a BigInt',
    ],
    "a text for a big number": [
      'barcode: "12x"',
      'Expected value of type "Long", found "12x"; Cannot convert 12x to a BigInt',
    ],
  };
  for (const [name, [literal, message]] of Object.entries(literals)) {
    test(`of a literal: ${name}`, async () => {
      const { status, errors } = await messages(`mutation { createProduct(data: {${literal}}) { name } }`);
      expect(status).toBe(400);
      expect(errors).toMatchObject([
        { message, locations: [{ line: 1 }], extensions: { code: "GRAPHQL_VALIDATION_FAILED" } },
      ]);
    });
  }
});
