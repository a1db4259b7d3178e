/**
 * Serves the routes and pages of `app/` in the current folder as Next.js does, as far as a recipe needs it: handlers of routes, pages
 * with a slug, `draftMode` and `notFound`. Writes the modules of Next.js and React that these import.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const COOKIE = "__prerender_bypass";

const modules: Readonly<Record<string, string>> = {
  "next/headers.js": `const draft = { isEnabled: false, enable() { this.isEnabled = true; }, disable() { this.isEnabled = false; } };
    export const draftMode = async () => draft;`,
  "next/navigation.js": `export const notFound = () => { throw new Error("NEXT_NOT_FOUND"); };`,
  "react/jsx-dev-runtime.js": `export const jsxDEV = (type, { children }) => "<" + type + ">" + [children].flat().join("") + "</" + type + ">";`,
};
for (const [name, text] of Object.entries(modules)) {
  const file = join("node_modules", name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  writeFileSync(join(dirname(file), "package.json"), '{"type":"module"}');
}

const load = (path: string) => import(join(process.cwd(), path));
const { draftMode } = await load("node_modules/next/headers.js");
const draft = await draftMode();
const { GET } = await load("app/api/preview/route.ts");
const { default: Page } = await load("app/articles/[slug]/page.tsx");

const server = Bun.serve({
  port: Number(process.argv[2]),
  hostname: "localhost",
  fetch: async (request) => {
    const { pathname } = new URL(request.url);
    draft.isEnabled = request.headers.get("cookie")?.includes(COOKIE) ?? false;
    if (pathname === "/api/preview") {
      const response: Response = await GET(request);
      if (draft.isEnabled) response.headers.set("set-cookie", `${COOKIE}=1; Path=/`);
      return response;
    }
    try {
      const slug = pathname.split("/").at(-1)!;
      return new Response(await Page({ params: Promise.resolve({ slug }) }));
    } catch (error) {
      if ((error as Error).message !== "NEXT_NOT_FOUND") throw error;
      return new Response("not found", { status: 404 });
    }
  },
});
console.log(`ready at ${server.url}`);
