/** Addresses of previews, as the project's configuration makes them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../src/index.ts";
import { configFile, createCall, projectFolder, type TestApp, typeFile } from "../project.ts";

const KEY = "test-admin";
const folder = projectFolder({
  ...typeFile("note", { title: { type: "string" } }, { draftAndPublish: true }),
  ...typeFile("tag", { label: { type: "string" } }),
  ...configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }] }),
  "config/admin.js": `module.exports = ({ env }) => ({
    preview: {
      config: {
        handler(uid, { documentId, locale, status }) {
          if (documentId === "fails") throw new Error("secret");
          if (uid === "api::tag.tag") return undefined;
          return [env("CLIENT_URL"), documentId, locale, status].join("/");
        },
      },
    },
  });`,
});
const bare = projectFolder({
  ...typeFile("note", { title: { type: "string" } }),
  ...configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }] }),
});

let galley: Galley;
let withoutPreview: Galley;
let call: TestApp["call"];
const url = (query: string, uid = "api::note.note") => `/content-manager/preview/url/${uid}?${query}`;
beforeAll(async () => {
  const environment = { CLIENT_URL: "https://client" };
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
