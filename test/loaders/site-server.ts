/** A server of a small site's content for the loaders: as Galley answers, or as Strapi does, which has neither the feed nor tags. */
import type { Server } from "../../src/loaders/client.ts";
import { ADMIN, componentFile, configFile, relation, type TestApp, TOKEN, testApp, typeFile } from "../project.ts";

export type Kind = "Galley" | "Strapi";

export const files = {
  ...typeFile("author", {
    name: { type: "string" },
    articles: { ...relation("oneToMany", "article"), mappedBy: "author" },
  }),
  ...typeFile("tag", { name: { type: "string" } }, { draftAndPublish: true }),
  ...componentFile("shared.seo", { title: { type: "string" }, author: relation("oneToOne", "author") }),
  ...typeFile(
    "article",
    {
      title: { type: "string" },
      author: { ...relation("manyToOne", "author"), inversedBy: "articles" },
      tags: relation("manyToMany", "tag"),
      seo: { type: "component", component: "shared.seo" },
    },
    { draftAndPublish: true, localized: true },
  ),
  ...typeFile("homepage", { text: { type: "string" } }, { kind: "singleType", draftAndPublish: true }),
};

export interface SiteServer extends Server, AsyncDisposable {
  readonly app: TestApp;
  readonly url: string;
  readonly token: string;
  /** Paths that were requested since the last call. */
  readonly requests: () => string[];
}

/** `maxLimit`: of lists. */
export async function siteServer(kind: Kind, maxLimit = 100): Promise<SiteServer> {
  const app = await testApp({
    ...files,
    ...configFile({
      locales: [
        { code: "en", isDefault: true },
        { code: "fr", isDefault: false },
      ],
    }),
    "config/api.json": JSON.stringify({ rest: { maxLimit } }),
  });
  let requested: string[] = [];
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      requested.push(pathname + search);
      if (kind === "Strapi" && pathname.startsWith("/galley/")) return app.handle(new Request("http://localhost/none"));
      const response = await app.handle(request);
      if (kind === "Strapi") for (const name of ["cache-tag", "surrogate-key"]) response.headers.delete(name);
      return response;
    },
  });
  return {
    app,
    url: `http://localhost:${server.port}`,
    token: TOKEN,
    requests() {
      const requests = requested;
      requested = [];
      return requests;
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      await app.close();
    },
  };
}

/** Creates a document; returns its id. */
export async function create({ app }: SiteServer, path: string, data: unknown): Promise<string> {
  const { status, body } = await app.call("POST", `/api/${path}`, { data }, ADMIN);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data.documentId;
}

export async function call({ app }: SiteServer, method: string, path: string, data?: unknown): Promise<void> {
  const { status, body } = await app.call(method, `/api/${path}`, data === undefined ? undefined : { data });
  if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(body)}`);
}

export const kinds: readonly Kind[] = ["Galley", "Strapi"];
