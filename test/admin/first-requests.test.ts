/** What the admin page requests first: its document names the requests, and they need nothing but its URL. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../src/index.ts";
import { projectFolder, relation, typeFile } from "../project.ts";
import { askAs, signedIn } from "./signed-in.ts";

const KEY = "a key for tests";
const NOTE = "api::note.note";
const folder = projectFolder({
  ...typeFile("writer", { name: { type: "string" } }),
  ...typeFile(
    "note",
    {
      body: { type: "richtext" },
      name: { type: "string" },
      rank: { type: "integer" },
      writer: relation("manyToOne", "writer"),
      secret: { type: "password" },
      last: { type: "string" },
      hidden: { type: "string" },
    },
    { draftAndPublish: true, localized: true },
  ),
  ...typeFile("home", { name: { type: "string" } }, { kind: "singleType" }),
});

let galley: Galley;
let ask: ReturnType<typeof askAs>;
let cookie: string;
beforeAll(async () => {
  // searches find ids, too, so that these must be the same in every run
  galley = await createGalley({ project: folder.root, admin: true, environment: { ADMIN_JWT_SECRET: KEY }, seed: 1 });
  cookie = await signedIn(galley, KEY);
  ask = askAs(galley, cookie);
  const notes = galley.documents(NOTE);
  const writer = await galley.documents("api::writer.writer").create({ data: { name: "Ann" } });
  for (const [name, rank] of Object.entries({ one: 1, two: 2, three: 3 }))
    await notes.create({ data: { name, rank, body: "long", writer: writer.documentId } });
  const [two] = await notes.findMany({ filters: { name: "two" } });
  await notes.publish({ documentId: String(two!.documentId) });
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

const BROWSER = { host: "localhost", "sec-fetch-site": "none" };

const documentOf = async (path: string, headers: Record<string, string> = BROWSER): Promise<string> =>
  (await galley.handle(new Request(`http://localhost${path}`, { headers }))).text();

/** As a browser reads them. */
async function preloaded(path: string, headers?: Record<string, string>): Promise<string[]> {
  const urls: string[] = [];
  const links = new HTMLRewriter().on('link[rel="preload"][as="fetch"][crossorigin]', {
    element: (link) => {
      const href = link.getAttribute("href")!.replaceAll("&amp;", "&").replaceAll("&#x27;", "'");
      expect(href).not.toStartWith("/");
      const { pathname, search } = new URL(href, `http://localhost${path}`);
      urls.push(pathname + search);
    },
  });
  await links.transform(new Response(await documentOf(path, headers))).text();
  return urls;
}

describe("the document of the page", () => {
  test.each([
    ["/admin", []],
    ["/admin/media", ["/admin/api/start"]],
    [`/admin/content/${NOTE}/an-id`, ["/admin/api/start"]],
    [`/admin/content/${NOTE}`, ["/admin/api/start", "/admin/api/lists/api%3A%3Anote.note?page=1&pageSize=50"]],
    [
      "/admin/content/api%3A%3Anote.note?unknown=1&q=a%26b&page=7&sort=name:asc&filters[name][$eq]=one&q=second",
      [
        "/admin/api/start",
        "/admin/api/lists/api%3A%3Anote.note?q=a%26b&sort=name%3Aasc&filters%5Bname%5D%5B%24eq%5D=one&page=1&pageSize=50",
      ],
    ],
  ])("%s has the browser load %j", async (path, urls) => {
    expect(await preloaded(path)).toEqual(urls);
  });

  test("does not where browsers do not say that a request is the page's own", async () => {
    expect(await preloaded(`/admin/content/${NOTE}`, { host: "10.0.0.1" })).toEqual([]);
  });

  test("leaves its window to nobody who has opened it, which browsers need not be told where nobody has", async () => {
    const policyFor = async (site?: string) => {
      const headers = { host: "localhost", ...(site ? { "sec-fetch-site": site } : {}) };
      const response = await galley.handle(new Request("http://localhost/admin", { headers }));
      expect(response.headers.get("vary")).toContain("Sec-Fetch-Site");
      return response.headers.get("cross-origin-opener-policy");
    };
    for (const site of ["cross-site", "same-site", undefined]) expect(await policyFor(site)).toBe("same-origin");
    for (const site of ["none", "same-origin"]) expect(await policyFor(site)).toBeNull();
  });

  test("is the same for types that exist and those that do not, signed in or not", async () => {
    const [known, unknown] = await Promise.all([
      documentOf(`/admin/content/${NOTE}`),
      documentOf("/admin/content/api::none.none"),
    ]);
    expect(unknown.replaceAll("none.none", "note.note")).toBe(known);
    expect(await documentOf(`/admin/content/${NOTE}`, { ...BROWSER, cookie })).toBe(known);
  });

  test.each(['"><script>', "%22%3E%3Cscript%3E", "' onerror='", "%00", "&amp;"])(
    "a URL with %s stays a URL",
    async (text) => {
      for (const path of [`/admin/content/${text}`, `/admin/content/${NOTE}?q=${text}&filters[${text}]=${text}`]) {
        const page = await documentOf(path);
        expect(page.match(/<script/g)).toHaveLength(1);
        expect(page).not.toContain("onerror='");
        const urls = await preloaded(path);
        expect(urls).toHaveLength(2);
        for (const url of urls) expect(url).toMatch(/^\/admin\/api\/(start|lists\/[\w%.']+\?[\w%.=&+-]+)$/);
      }
    },
  );
});

describe("the rows of a list", () => {
  const rows = async (query: string) => (await ask("GET", `/lists/${NOTE}?${query}`)).body;
  const names = async (query: string): Promise<string[]> =>
    (await rows(`sort=rank&${query}`)).results.map(({ name }: { name: string }) => name);

  test("have the columns that the page shows", async () => {
    const [first] = (await rows("sort=rank")).results;
    expect(first).toMatchObject({ name: "one", rank: 1, last: null, writer: { name: "Ann" }, status: "draft" });
    expect(first).toHaveProperty("updatedAt");
    for (const absent of ["body", "secret", "hidden"]) expect(first).not.toHaveProperty(absent);
  });

  test("have chosen columns; those that the type does not have are left out", async () => {
    const [first] = (await rows("columns=hidden,gone")).results;
    expect(first).toHaveProperty("hidden");
    expect(first).not.toHaveProperty("name");
    expect((await rows("columns=gone")).results[0]).toHaveProperty("name");
    expect((await rows("columns=secret,toString")).results[0]).not.toHaveProperty("secret");
  });

  test.each(["", "columns=rank"])("show the publication status of each document: %s", async (columns) => {
    const notes = galley.documents(NOTE);
    const { documentId } = await notes.create({ data: { name: "four", rank: 4 }, status: "published" });
    const statuses = async () =>
      (await rows(`sort=rank&${columns}`)).results.map(({ status }: { status: string }) => status);
    expect(await statuses()).toEqual(["draft", "published", "draft", "published"]);
    await notes.update({ documentId: String(documentId), data: { name: "vier" } });
    expect(await statuses()).toEqual(["draft", "published", "draft", "modified"]);
    await notes.delete({ documentId: String(documentId) });
  });

  test.each([
    ["q=tw", ["two"]],
    ["filters[name][$in][0]=one&filters[name][$in][1]=three", ["one", "three"]],
    ["status=draft", ["one", "three"]],
    ["status=published-unmodified", ["two"]],
    ["status=draft&filters[$or][0][rank]=2&filters[$or][1][rank]=3", ["three"]],
    ["status=toString", ["one", "two", "three"]],
    ["locale=en", ["one", "two", "three"]],
    ["page=2&pageSize=2", ["three"]],
  ])("%s finds %j", async (query, found) => {
    expect(await names(query)).toEqual(found);
  });

  test("of a single type are its document; a type that does not exist is missing", async () => {
    expect((await ask("GET", "/lists/api::home.home")).status).toBe(200);
    expect((await ask("GET", "/lists/api::none.none")).status).toBe(404);
    expect((await ask("GET", "/lists/toString")).status).toBe(404);
  });

  test.each(["filters[gone]=1", "q[a]=1", "page=none"])("%s is answered as by the content manager", async (query) => {
    const ofManager = await ask("GET", `/content-manager/collection-types/${NOTE}?${query.replace("q[", "_q[")}`);
    expect((await ask("GET", `/lists/${NOTE}?${query}`)).status).toBe(ofManager.status);
  });
});

describe("the first page", () => {
  test("has what was edited last, what waits to be published, and counts of what is listed", async () => {
    const { recent, waiting } = (await ask("GET", "/home")).body.data;
    const titles = (documents: readonly { title: string }[]): string[] =>
      documents.map(({ title }) => title).toSorted();
    expect(titles(recent)).toEqual(["Ann", "one", "three", "two"]);
    expect(recent[0].updatedAt >= recent[3].updatedAt).toBe(true);
    expect(waiting.map(({ status }: { status: string }) => status)).toEqual(["draft", "draft"]);
    expect(titles(waiting)).toEqual(["one", "three"]);
    const { data } = (await ask("GET", "/counts")).body;
    expect(data).toMatchObject({ [NOTE]: 3, "api::writer.writer": 1 });
    expect(data).not.toHaveProperty(["api::home.home"]);
  });
});
