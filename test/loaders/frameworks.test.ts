/** What each framework is told: entries, nodes, global data. The frameworks themselves build in `scripts/sites.ts`. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strapiLiveLoader, strapiLoader } from "../../src/loaders/astro.ts";
import { readDocuments, strapiPlugin } from "../../src/loaders/eleventy.ts";
import { sourceNodes } from "../../src/loaders/gatsby.ts";
import { call, create, kinds, type SiteServer, siteServer } from "./site-server.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-loaders-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const articles = { type: "api::article.article", path: "articles", populate: { author: true } } as const;

type Data = Record<string, unknown>;
type Stored = { id: string; data: Data; digest: string };

/** Astro's store, of which every entry that was set is noted. */
class AstroStore {
  readonly map = new Map<string, Stored>();
  readonly meta = new Map<string, string>();
  set: string[] = [];

  readonly context = {
    store: {
      entries: () => [...this.map],
      set: (entry: Stored) => {
        if (this.map.get(entry.id)?.digest === entry.digest) return false;
        this.set.push(entry.id);
        this.map.set(entry.id, entry);
        return true;
      },
      delete: (id: string) => void this.map.delete(id),
      clear: () => this.map.clear(),
    },
    meta: {
      get: (key: string) => this.meta.get(key),
      set: (key: string, value: string) => void this.meta.set(key, value),
    },
    logger: { info: () => {} },
    // what a schema strips does not hinder the next build
    parseData: async ({ data }: { data: Data }) => ({ title: data.title }),
    generateDigest: (data: Data) => Bun.hash(JSON.stringify(data)).toString(36),
  };
}

const shown = (store: AstroStore): unknown[] =>
  [...store.map.values()].map(({ id, data, digest }) => [id, data, digest]);

async function author(server: SiteServer): Promise<string> {
  return create(server, "authors", { name: "Ada" });
}

describe.each(kinds)("from %s", (kind) => {
  test("Astro's store is after each build what it would be after a first one", async () => {
    await using server = await siteServer(kind);
    const ada = await author(server);
    for (const title of ["one", "two", "three"]) await create(server, "articles", { title, author: ada });
    const loader = strapiLoader({ ...server, ...articles });
    const store = new AstroStore();
    const built = async (): Promise<unknown[]> => {
      store.set = [];
      await loader.load(store.context);
      const fresh = new AstroStore();
      await loader.load(fresh.context);
      expect(shown(store)).toEqual(shown(fresh));
      return shown(store);
    };
    expect(await built()).toHaveLength(3);
    await call(server, "PUT", `authors/${ada}`, { name: "Grace" });
    await built();
    expect(store.set).toHaveLength(3);
    for (const title of ["four", "five", "six", "seven"]) await create(server, "articles", { title });
    expect(await built()).toHaveLength(7);
    const [first] = store.map.keys();
    await call(server, "DELETE", `articles/${first}`);
    expect(await built()).toHaveLength(6);
    await built();
    expect(store.set).toEqual([]);
  });

  test("Astro's live entries have tags, and no time, which would not change with what they show", async () => {
    await using server = await siteServer(kind);
    const id = await create(server, "articles", { title: "one", author: await author(server) });
    const loader = strapiLiveLoader<{ title: string }>({ ...server, ...articles });
    const entry = await loader.loadEntry({ filter: { id } });
    if (!entry || "error" in entry) throw new Error("no entry");
    expect(entry.data.title).toBe("one");
    expect(entry.cacheHint).not.toHaveProperty("lastModified");
    expect(entry.cacheHint.tags.some((tag) => tag.startsWith(`article:${id}`))).toBe(true);
    const bySlug = await loader.loadEntry({ filter: { filters: { title: "one" } } });
    expect(bySlug).toMatchObject({ id });
    expect(await loader.loadEntry({ filter: { id: "none" } })).toBeUndefined();
    expect(await loader.loadEntry({ filter: { filters: { title: "none" } } })).toBeUndefined();
    const list = await loader.loadCollection({ filter: { sort: "title" } });
    expect(list).toMatchObject({ entries: [{ id, data: { author: { name: "Ada" } } }] });
    expect(await loader.loadCollection({ filter: { sort: "nothing" } })).toMatchObject({
      error: { name: "RequestError", status: 400 },
    });
  });

  test("Gatsby's nodes are created, replaced and deleted", async () => {
    await using server = await siteServer(kind);
    const ada = await author(server);
    const one = await create(server, "articles", { title: "one", author: ada });
    await create(server, "articles", { title: "two", author: ada });
    const nodes = new Map<string, Data>();
    const kept = new Map<string, unknown>();
    let saved: Data = {};
    let created: unknown[] = [];
    let stateful = 0;
    const gatsby = {
      actions: {
        createNode: (node: Data) => {
          created.push(node.title);
          nodes.set(String(node.id), node);
        },
        deleteNode: (node: Data) => void nodes.delete(String(node.id)),
        touchNode: () => {},
        setPluginStatus: (status: Data) => void Object.assign(saved, status),
        enableStatefulSourceNodes: () => void stateful++,
      },
      cache: {
        get: async (key: string) => kept.get(key),
        set: async (key: string, value: unknown) => kept.set(key, value),
      },
      store: { getState: () => ({ status: { plugins: { "default-site-plugin": saved, other: {} } } }) },
      reporter: { info: () => {} },
      createNodeId: (key: string) => `node ${key}`,
      createContentDigest: (value: unknown) => JSON.stringify(value),
      getNode: (id: string) => nodes.get(id),
      getNodesByType: () => [...nodes.values()],
    };
    const source = sourceNodes({ ...server, types: [articles] });
    const build = async (): Promise<unknown[]> => {
      created = [];
      await source(gatsby);
      return created.sort();
    };
    expect(await build()).toEqual(["one", "two"]);
    expect(nodes.get(`node StrapiArticle ${one}`)).toMatchObject({
      documentId: one,
      strapi_id: expect.any(Number),
      author: { name: "Ada" },
      internal: { type: "StrapiArticle" },
    });
    expect(await build()).toEqual([]);
    await call(server, "PUT", `authors/${ada}`, { name: "Grace" });
    expect(await build()).toEqual(["one", "two"]);
    await call(server, "DELETE", `articles/${one}`);
    expect(await build()).toEqual([]);
    expect([...nodes.values()].map(({ title }) => title)).toEqual(["two"]);
    expect(stateful).toBe(4);
    // a build that fails has written nodes, and Gatsby forgets what it knew of them
    const digest = (): unknown => [...nodes.values()].map(({ internal }) => internal);
    const before = [digest(), { ...saved }] as const;
    const three = await create(server, "articles", { title: "three" });
    expect(await build()).toEqual(["three"]);
    saved = before[1];
    await call(server, "DELETE", `articles/${three}`);
    expect(await build()).toEqual(["two"]);
    expect(digest()).not.toEqual(before[0]);
    expect(await build()).toEqual([]);
    // an earlier version of Gatsby deletes what is not touched
    const touched: Data[] = [];
    const { enableStatefulSourceNodes: _, ...earlier } = gatsby.actions;
    await source({ ...gatsby, actions: { ...earlier, touchNode: (node: Data) => void touched.push(node) } });
    expect(touched).toHaveLength(1);
  });

  test("Eleventy's data is that of a first build, and is kept in files", async () => {
    await using server = await siteServer(kind);
    const one = await create(server, "articles", { title: "one" });
    await create(server, "articles", { title: "two" });
    const data = new Map<string, () => Promise<unknown>>();
    const at = join(folder, kind);
    const homepage = { type: "api::homepage.homepage", path: "homepage", single: true };
    strapiPlugin(
      { addGlobalData: (name, read) => void data.set(name, read) },
      { ...server, folder: at, data: { articles, homepage } },
    );
    const titles = async (): Promise<unknown[]> =>
      ((await data.get("articles")!()) as Data[]).map(({ title }) => title).sort();
    expect(await titles()).toEqual(["one", "two"]);
    expect(await data.get("homepage")!()).toBeNull();
    await call(server, "PUT", `articles/${one}`, { title: "uno" });
    await call(server, "PUT", "homepage", { text: "hello" });
    await create(server, "articles", { title: "three" });
    expect(await titles()).toEqual(["three", "two", "uno"]);
    expect(await data.get("homepage")!()).toMatchObject({ text: "hello" });
    const fresh = await readDocuments({ ...server, ...articles }, join(at, "fresh.json"));
    expect(await data.get("articles")!()).toEqual(fresh);
    writeFileSync(join(at, "articles.json"), "{}");
    expect(await data.get("articles")!()).toEqual(fresh);
  });
});
