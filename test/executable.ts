/** What the compiled executable must do on a machine that has nothing else: each check answers its problem, if any. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { projectFolder } from "./project.ts";
import { ARTICLE, runLoader, writeBlog } from "./scripts/blog.ts";

type Outcome = readonly [name: string, problem: string | undefined];
type Expect = (name: string, ok: boolean, seen: unknown) => void;

function run(file: string, args: readonly string[], cwd: string) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([file, ...args], { cwd, env: {} });
  return { exitCode, text: `${stdout}${stderr}` };
}

async function answers(url: string): Promise<Response | undefined> {
  for (const end = performance.now() + 30_000; performance.now() < end; ) {
    const response = await fetch(url).catch(() => undefined);
    if (response) return response;
    await Bun.sleep(20);
  }
  return undefined;
}

/** A server of the executable, with its address. */
function serve(file: string, args: readonly string[], cwd: string) {
  const port = freePort();
  const child = Bun.spawn([file, "serve", ...args, "--quiet", "--port", String(port)], {
    cwd,
    env: {},
    stderr: "pipe",
  });
  const stop = async (): Promise<number> => {
    child.kill("SIGTERM");
    return child.exited;
  };
  return { address: `http://127.0.0.1:${port}`, stop };
}

/** Code without a build step, with nothing installed, and errors that name its lines. */
async function checkOwnCode(file: string, folder: string, expectThat: Expect): Promise<void> {
  const project = join(import.meta.dir, "projects/own-code");
  const { address, stop } = serve(file, [project, "--memory"], folder);
  const slug = await answers(`${address}/api/articles/slug/seeded-article`);
  const { data } = ((await slug?.json().catch(() => undefined)) ?? {}) as { data?: { title?: string } };
  expectThat("runs a project's own code", data?.title === "Seeded article", data);
  const list = await answers(`${address}/api/authors?filters[name]=Ada`);
  const { meta } = ((await list?.json().catch(() => undefined)) ?? {}) as { meta?: { route?: string } };
  expectThat("runs its middlewares", meta?.route === "api::author.author.find", meta);
  const refused = await answers(`${address}/api/articles/fail/policy`);
  expectThat("knows its errors", refused?.status === 403, refused?.status);
  const broken = await answers(`${address}/api/articles/fail/type`);
  expectThat("survives its defects", broken?.status === 500, broken?.status);
  await stop();
  const { exitCode, text } = run(file, ["doctor", project], folder);
  expectThat("examines it", exitCode === 0 && text.includes("src/api/article/controllers/article.js"), text);
}

/** What code and configuration import: by the paths of the tsconfig, of packages that are installed, and of those that are not. */
async function checkImports(file: string, folder: string, expectThat: Expect): Promise<void> {
  const { root, remove } = projectFolder({
    "tsconfig.json": JSON.stringify({ compilerOptions: { allowJs: true, paths: { "@/*": ["./src/*"] } } }),
    "config/server.js": `const { errors, env } = require("@strapi/utils");
      module.exports = () => ({ app: { keys: [new errors.ApplicationError("key").message, env("NO_SUCH_KEY", "b")] } });`,
    "node_modules/greeter/package.json": JSON.stringify({ name: "greeter", exports: { ".": "./lib/main.js" } }),
    "node_modules/greeter/lib/main.js": `module.exports = require("@strapi/utils").strings.nameToSlug;`,
    "src/lib/greet.ts": `import greeter from "greeter"; export const greet = (name: string): string => greeter(name);`,
    "src/api/hello/routes/hello.js": `module.exports = { routes: [{ method: "GET", path: "/hello", handler: "hello.say", config: { auth: false } }] };`,
    "src/api/hello/controllers/hello.ts": `import { greet } from "@/lib/greet";
      import { yup, z, validateYupSchema } from "@strapi/utils";
      const { old } = require("../services/old");
      export default { say: async () => [
        greet("Hello World"), z.string().parse("zod"), await validateYupSchema(yup.string())("yup"), old(),
      ] };`,
    "jobs/job.js": `const { fork } = require("node:child_process");
      if (require.main !== module) throw new Error("is not the main module");
      if (process.send) {
        process.send([require("greeter")(process.argv[2]), process.argv[1] === __filename]);
        process.disconnect();
      } else fork(__filename, ["Two Words"]).once("message", (answer) => console.log(JSON.stringify(answer)));`,
    "src/api/hello/services/old.js": `module.exports = { old() { with ({ inner: 010 }) { found = inner; } return found; } };`,
  });
  const { address, stop } = serve(file, [root, "--memory"], folder);
  const response = await answers(`${address}/api/hello`);
  const text = await response?.text();
  expectThat("finds what code imports", text === '["hello-world","zod","yup",8]', text);
  await stop();
  const job = run(file, ["jobs/job.js"], root);
  expectThat("runs a file that forks itself", job.exitCode === 0 && job.text === '["two-words",true]\n', job);
  remove();
}

/** Variables of the project in the current folder. */
async function checkEnvironment(file: string, expectThat: Expect): Promise<void> {
  const { root, remove } = projectFolder({
    ".env": "TEXT=pa$$word\n",
    ".env.local": "OTHER=1\n",
    "src/api/hello/routes/hello.js": `module.exports = { routes: [{ method: "GET", path: "/hello", handler: "hello.say", config: { auth: false } }] };`,
    "src/api/hello/controllers/hello.js":
      "module.exports = { say: () => [process.env.TEXT, process.env.OTHER ?? null] };",
  });
  const { address, stop } = serve(file, [".", "--memory"], root);
  const text = await (await answers(`${address}/api/hello`))?.text();
  expectThat("reads .env as it is, and no other file", text === '["pa$$word",null]', text);
  await stop();
  remove();
}

async function checkProject(file: string, folder: string, expectThat: Expect): Promise<void> {
  const project = join(import.meta.dir, "conformance/project");
  const { address, stop } = serve(file, [project, "--memory"], folder);
  const tags = await answers(`${address}/api/tags?sort=label&populate=*`);
  expectThat("serves a project", tags?.status === 200, [tags?.status, await tags?.text()]);
  const headers = { authorization: "Bearer conformance-full-access", "content-type": "application/json" };
  const body = JSON.stringify({ data: { label: "from the executable" } });
  const made = await fetch(`${address}/api/tags`, { method: "POST", headers, body }).catch(() => undefined);
  expectThat("takes a document", made?.status === 201, made?.status);
  const query = JSON.stringify({ query: "{ tags { label } }" });
  const graphql = await fetch(`${address}/graphql`, { method: "POST", headers, body: query }).catch(() => undefined);
  const answer = await graphql?.text();
  expectThat("answers GraphQL", answer === '{"data":{"tags":[{"label":"from the executable"}]}}\n', answer);
  for (const [path, status] of [
    ["/api/users", 401],
    ["/api/tags/nothing", 401],
    ["/api/nothing", 404],
  ] as const) {
    const refused = await fetch(address + path, { headers: { authorization: "Bearer nobody" } }).catch(() => undefined);
    const envelope = (await refused?.json().catch(() => undefined)) as { error?: { status?: number } } | undefined;
    expectThat(
      `refuses ${path} in the envelope`,
      refused?.status === status && envelope?.error?.status === status,
      envelope,
    );
  }
  for (const path of ["/graphql", "/docs"]) await checkPage(address, path, expectThat);
  const code = await stop();
  expectThat("stops cleanly", code === 0, code);
}

/** A page whose files the executable has with it. */
async function checkPage(address: string, path: string, expectThat: Expect): Promise<void> {
  const page = await fetch(address + path, { headers: { accept: "text/html" } }).catch(() => undefined);
  const html = (await page?.text()) ?? "";
  const urls = [...html.matchAll(/(?:src|href)="((?!#|\w+:)[^"]+)"/g)].map(([, url]) => new URL(url!, address + path));
  const answers = await Promise.all(
    urls.map(async (url) => {
      const response = await fetch(url).catch(() => undefined);
      return [url.pathname, response?.status, (await response?.text())?.length];
    }),
  );
  const isWhole = answers.length > 2 && answers.every(([, status, length]) => status === 200 && Number(length) > 0);
  expectThat(`has the page ${path} with its files`, isWhole, [page?.status, answers]);
}

interface Articles {
  readonly data?: readonly { readonly title?: string; readonly cover?: { readonly url?: string } | null }[];
}

/** The first thing that a newcomer does: an empty folder, its content and an image of it. */
async function checkStarter(file: string, folder: string, expectThat: Expect): Promise<void> {
  const init = run(file, ["init", "magazine"], folder);
  expectThat("writes the starter", init.exitCode === 0, init);
  const { address, stop } = serve(file, ["magazine"], folder);
  const list = await answers(`${address}/api/articles?populate=cover&sort=date:desc`);
  const text = (await list?.text()) ?? "";
  const { data = [] } = list?.status === 200 ? (JSON.parse(text) as Articles) : {};
  const isWhole = data.length === 10 && data.every(({ title, cover }) => title && cover?.url?.startsWith("/uploads/"));
  expectThat("serves the starter's articles with their covers", isWhole, [list?.status, text.slice(0, 500)]);
  const image = await fetch(address + (data[0]?.cover?.url ?? "")).catch(() => undefined);
  const bytes = new Uint8Array((await image?.arrayBuffer()) ?? []);
  const isJpeg = image?.headers.get("content-type") === "image/jpeg" && bytes[0] === 0xff && bytes[1] === 0xd8;
  expectThat("serves an image of the starter", image?.status === 200 && isJpeg, [image?.status, bytes.length]);
  const html = (await (await answers(`${address}/admin`))?.text()) ?? "";
  const [, script = "/none"] = /src="([^"]*assets\/main-[^"]+\.js)"/.exec(html) ?? [];
  const main = await fetch(new URL(script, `${address}/admin`), { headers: { "accept-encoding": "br" } }).catch(
    () => undefined,
  );
  // from which it takes the paths of the page
  const isScript = main?.status === 200 && (await main.text()).includes("import.meta.url");
  expectThat("has the admin page with it", isScript, [script, main?.status]);
  const closed = await fetch(`${address}/admin/api/start`, { headers: { "x-galley-admin": "1" } }).catch(
    () => undefined,
  );
  expectThat("shows the admin page's data to nobody without a session", closed?.status === 401, closed?.status);
  const code = await stop();
  expectThat("stops cleanly after the starter", code === 0, code);
}

interface File {
  readonly url?: string;
  readonly formats?: Readonly<Record<string, File>> | null;
}

interface LoadedArticles {
  readonly data?: readonly {
    readonly author?: { readonly name?: string; readonly avatar?: File | null } | null;
    readonly category?: { readonly slug?: string } | null;
    readonly cover?: File | null;
    readonly blocks?: readonly { readonly __component?: string; readonly file?: File; readonly files?: File[] }[];
  }[];
}

/** A project without content: its texts and images come over the API, with a token of the command line. */
async function checkLoaded(file: string, folder: string, expectThat: Expect): Promise<void> {
  const { project, data } = await writeBlog(join(folder, "blog"));
  const token = run(file, ["token", "create", "smoke", project, "--type", "full-access"], folder);
  const key = token.text.trim();
  expectThat("makes a token", token.exitCode === 0 && /^[0-9a-f]{96}$/.test(key), token);
  const { address, stop } = serve(file, [project], folder);
  await answers(`${address}/_health`);
  const loaded = await runLoader(data, "--url", address, "--token", key);
  expectThat("takes a blog's texts and images over the API", loaded.code === 0, loaded);
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(address + ARTICLE, { headers }).catch(() => undefined);
  const text = (await answer?.text()) ?? "";
  const [article] = answer?.status === 200 ? ((JSON.parse(text) as LoadedArticles).data ?? []) : [];
  const { author, category, cover, blocks = [] } = article ?? {};
  const isWhole =
    author?.name === "Ada Fern" &&
    author.avatar?.formats?.thumbnail !== undefined &&
    category?.slug === "woods" &&
    Object.keys(cover?.formats ?? {})
      .sort()
      .join() === "large,medium,small,thumbnail" &&
    blocks.map(({ __component: name }) => name).join() === "shared.rich-text,shared.quote,shared.media,shared.slider" &&
    blocks[2]?.file?.url !== undefined &&
    blocks[3]?.files?.length === 2;
  expectThat("serves the blog's article with all that it leads to", isWhole, [answer?.status, text.slice(0, 2_000)]);
  const small = await fetch(address + (cover?.formats?.small?.url ?? "/none")).catch(() => undefined);
  const type = small?.headers.get("content-type");
  expectThat("serves a format of its cover", small?.status === 200 && type === "image/jpeg", [small?.status, type]);
  const code = await stop();
  expectThat("stops cleanly after the blog", code === 0, code);
}

/**
 * What an executable may have besides the runtime: 1.8 MB of any that is compiled, and what `bun scripts/size.ts` lists; zod and lodash are
 * @strapi/utils'; other packages that projects import from Strapi's tree, winston with them, are 0.2 MB, the protocol of MCP, the manual with its recipes and
 * the font are 0.5 MB.
 */
const OWN_BYTES = 11_850_000;

/** `folder` is a scratch folder. */
export async function runSmoke(file: string, folder: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const expectThat: Expect = (name, ok, seen) => void outcomes.push([name, ok ? undefined : Bun.inspect(seen)]);
  const version = run(file, ["--version"], folder);
  expectThat("tells its version", version.exitCode === 0 && /^\d+\.\d+\.\d+/.test(version.text), version);
  const own = statSync(file).size - statSync(process.execPath).size;
  expectThat("is small", own < OWN_BYTES, `${own} bytes besides the runtime`);
  const notices = run(file, ["licenses"], folder);
  const hasNotices = [
    "galley ",
    "Bun ",
    "SQLite",
    "busboy ",
    "graphql ",
    "codemirror ",
    "react ",
    "SIL OPEN FONT LICENSE",
  ].every((name) => notices.text.includes(name));
  expectThat(
    "prints the licences of what it contains",
    notices.exitCode === 0 && hasNotices,
    notices.text.slice(0, 500),
  );
  await checkProject(file, folder, expectThat);
  await checkOwnCode(file, folder, expectThat);
  await checkImports(file, folder, expectThat);
  await checkEnvironment(file, expectThat);
  await checkStarter(file, folder, expectThat);
  await checkLoaded(file, folder, expectThat);
  return outcomes;
}
