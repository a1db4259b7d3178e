/** Addresses of previews, as the project's configuration makes them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../src/index.ts";
import { configFile, createCall, projectFolder, type TestApp, typeFile } from "../project.ts";
import { askAs, signedIn } from "./signed-in.ts";

const KEY = "test-admin";
const SECRET = "a secret of the page";
const folder = projectFolder({
  ...typeFile("note", { title: { type: "string" } }, { draftAndPublish: true }),
  ...typeFile("tag", { label: { type: "string" }, secret: { type: "password" } }),
  ...configFile({
    tokens: [{ name: "admin", type: "admin", key: KEY }],
    admin: { sites: { "api::tag.tag": "https://client/tags/{label}" } },
  }),
  "config/admin.js": `module.exports = ({ env }) => ({
    preview: {
      config: {
        allowedOrigins: ["https://client", "https://*.client.example:*", "'self'", "https://a; script-src *"],
        handler(uid, { documentId, locale, status }) {
          if (documentId === "fails") throw new Error("secret");
          if (uid === "api::tag.tag") return undefined;
          if (documentId === "script") return "javascript:alert(1)";
          if (documentId === "other") return "https://elsewhere/";
          if (documentId === "below") return "https://www.client.example:3000/";
          return [env("CLIENT_URL"), documentId, locale, status].join("/");
        },
      },
    },
  });`,
});
const bare = projectFolder({
  ...typeFile("note", { title: { type: "string" }, secret: { type: "password" } }),
  ...configFile({
    tokens: [{ name: "admin", type: "admin", key: KEY }],
    admin: { sites: { "api::note.note": "https://client/{secret}" } },
  }),
});

let galley: Galley;
let withoutPreview: Galley;
let call: TestApp["call"];
const url = (query: string, uid = "api::note.note") => `/content-manager/preview/url/${uid}?${query}`;
beforeAll(async () => {
  const environment = { CLIENT_URL: "https://client", ADMIN_JWT_SECRET: SECRET };
  galley = await createGalley({ project: folder.root, admin: true, environment });
  withoutPreview = await createGalley({ project: bare.root, admin: true, environment });
  call = createCall(galley, { authorization: `Bearer ${KEY}` });
});
afterAll(async () => {
  await galley.close();
  await withoutPreview.close();
  folder.remove();
  bare.remove();
});

test("the project's function is given the document, its locale and status", async () => {
  expect((await call("GET", url("documentId=one&locale=fr"))).body.data.url).toBe("https://client/one/fr/draft");
  expect((await call("GET", url("documentId=one&status=published"))).body.data.url).toBe(
    "https://client/one//published",
  );
});

test("a type without an address has no content", async () => {
  expect((await call("GET", url("documentId=one", "api::tag.tag"))).status).toBe(204);
});

test.each([
  ["", "api::note.note", 400, "documentId is required for Collection Types"],
  ["documentId=one", "api::nope.nope", 400, "Invalid content type"],
  ["documentId[]=one", "api::note.note", 400, "documentId must be a `string` type"],
  ["documentId=fails", "api::note.note", 400, "Failed to get preview URL"],
] as const)("%s of %s: %i %s", async (query, uid, status, message) => {
  const refused = await call("GET", url(query, uid));
  expect(refused.status).toBe(status);
  expect(refused.body.error.message).toStartWith(message);
});

test("without a configuration there is none", async () => {
  const asked = createCall(withoutPreview, { authorization: `Bearer ${KEY}` });
  const refused = await asked("GET", url("documentId=one"));
  expect([refused.status, refused.body.error.message]).toEqual([404, "Preview config not found"]);
});

describe("for the page", () => {
  const ask = async (query: string, uid = "api::note.note", from = galley) => {
    const asked = askAs(from, await signedIn(from, SECRET));
    const { status, body } = await asked("GET", `/preview/${uid}?${query}`);
    return status === 200 ? body.data : [status, body.error.message];
  };

  test("it says which URLs may be framed", async () => {
    expect(await ask("documentId=one")).toEqual({ url: "https://client/one//draft", isFramed: true });
    expect(await ask("documentId=below")).toEqual({ url: "https://www.client.example:3000/", isFramed: true });
    expect(await ask("documentId=other")).toEqual({ url: "https://elsewhere/", isFramed: false });
  });

  test("a URL that a browser would run is refused", async () => {
    expect(await ask("documentId=script")).toEqual([400, expect.stringContaining("does not begin with http")]);
  });

  test("a type without a handler's URL has that of its pattern, once its document has the values", async () => {
    const tags = galley.documents("api::tag.tag");
    const { documentId } = await tags.create({ data: { label: "a/b c" } });
    expect(await ask(`documentId=${documentId}`, "api::tag.tag")).toEqual({
      url: "https://client/tags/a%2Fb%20c",
      isFramed: false,
    });
    await tags.update({ documentId, data: { label: "" } });
    expect(await ask(`documentId=${documentId}`, "api::tag.tag")).toBe(null);
  });

  test("a pattern does not show secrets", async () => {
    expect(await ask("documentId=one", "api::note.note", withoutPreview)).toEqual([
      400,
      expect.stringContaining("has no attribute secret"),
    ]);
  });

  test("the page may frame the allowed origins only", async () => {
    const policy = async (from: Galley): Promise<string | undefined> => {
      const response = await from.handle(new Request("http://localhost/admin/content"));
      return /frame-src [^;]*/.exec(response.headers.get("content-security-policy") ?? "")?.[0];
    };
    expect(await policy(galley)).toBe("frame-src https://client https://*.client.example:*");
    expect(await policy(withoutPreview)).toBe("frame-src 'none'");
  });
});

test("a function that reads content has strapi, also in a project without other code", async () => {
  const reading = projectFolder({
    ...typeFile("note", { title: { type: "string" } }, { draftAndPublish: true }),
    ...configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }] }),
    "config/admin.js": `module.exports = {
      preview: { config: { async handler(uid, { documentId }) {
        const { title } = await strapi.documents(uid).findOne({ documentId });
        return "https://client/" + title;
      } } },
    };`,
  });
  await using project = await createGalley({ project: reading.root, admin: true, environment: {} });
  const { documentId } = await project.documents("api::note.note").create({ data: { title: "fog" } });
  const ask = createCall(project, { authorization: `Bearer ${KEY}` });
  expect((await ask("GET", url(`documentId=${documentId}`))).body.data.url).toBe("https://client/fog");
  reading.remove();
});
