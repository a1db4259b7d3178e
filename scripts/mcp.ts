/**
 * Checks the Model Context Protocol with its own tools, which npm downloads: the inspector's command line and the conformance suite, over HTTP at
 * `/mcp` and `/admin/mcp`, and over standard input and output. `bun scripts/mcp.ts`; `--reference DIR` runs the suite on an installed Strapi, too.
 */
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../src/index.ts";
import { configFile, projectFolder, typeFile } from "../test/project.ts";
import { createAdminToken, registerAdministrator } from "./conformance/fresh-runs.ts";
import { layOut, start } from "./conformance/reference.ts";

const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";
const SUITE = "@modelcontextprotocol/conformance@0.1.16";
const KEY = "test-admin-token";
const OWN_CODE = join(import.meta.dir, "mcp/everything.js");

/** What Strapi has not, either: its handlers cannot send messages, and it has no resources with parameters, subscriptions and completions. */
const NOT_IN_STRAPI: ReadonlySet<string> = new Set([
  "completion-complete",
  "tools-call-with-logging",
  "tools-call-with-progress",
  "tools-call-sampling",
  "tools-call-elicitation",
  "json-schema-2020-12",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
  "resources-templates-read",
  "resources-subscribe",
  "resources-unsubscribe",
  // Strapi answers at any host; /admin/mcp refuses all pages, also those of its own host, which the scenario expects to be answered
  "dns-rebinding-protection",
]);
let hasFailed = false;
function report(name: string, problem: string | undefined): void {
  console.log(problem === undefined ? `${name}: passed` : `${name}: ${problem}`);
  hasFailed ||= problem !== undefined;
}

async function runTool(name: string, args: readonly string[]) {
  const child = Bun.spawn(["bun", "x", "--bun", name, ...args], { stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, output, errors };
}

async function inspect(name: string, target: readonly string[], method: readonly string[]): Promise<void> {
  // schemas are checked, too
  const strict = method[0] === "tools/list" ? ["--strict"] : [];
  const { code, errors } = await runTool(INSPECTOR, ["--cli", "--method", ...method, ...strict, ...target]);
  report(
    `inspector, ${name}, ${method.join(" ")}`,
    code === 0 ? undefined : `exit code ${code}: ${errors.slice(-300)}`,
  );
}

const METHODS = [["tools/list"], ["resources/list"], ["prompts/list"], ["tools/call", "--tool-name", "list_note"]];

async function inspectAll(name: string, target: readonly string[]): Promise<void> {
  for (const method of METHODS) await inspect(name, target, method);
}

/** The suite sends no credentials. */
function withToken(url: string, token: string) {
  const fetchWithToken = (request: Request): Promise<Response> => {
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${token}`);
    if (headers.get("host")?.startsWith("localhost")) headers.delete("host");
    return fetch(url, { method: request.method, headers, body: request.body });
  };
  return Bun.serve({ port: 0, hostname: "localhost", idleTimeout: 0, fetch: fetchWithToken });
}

async function runSuite(name: string, url: string, token: string): Promise<void> {
  const proxy = withToken(url, token);
  const { output } = await runTool(SUITE, ["server", "--suite", "all", "--url", `http://localhost:${proxy.port}/mcp`]);
  await proxy.stop(true);
  const results = [...output.matchAll(/([✓✗]) ([\w-]+): /g)].map(([, sign, scenario]) => [scenario!, sign === "✓"]);
  const isPassed = new Map(results as [string, boolean][]);
  const others = [...isPassed].filter(([scenario, passed]) => passed === NOT_IN_STRAPI.has(scenario));
  const list = others.map(([scenario, passed]) => `${scenario} ${passed ? "passes" : "fails"}`).join(", ");
  report(`suite, ${name}, ${isPassed.size} scenarios`, isPassed.size > 0 && list === "" ? undefined : list || output);
}

const folder = projectFolder({
  ...typeFile("note", { text: { type: "string" } }),
  ...configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }], roles: {} }),
  "config/server.json": JSON.stringify({ mcp: { enabled: true } }),
});
mkdirSync(join(folder.root, "src"), { recursive: true });
copyFileSync(OWN_CODE, join(folder.root, "src/index.js"));
const galley = await createGalley({ project: folder.root, memory: false, admin: true, environment: {} });
const url = galley.serve();
for (const path of ["mcp", "admin/mcp"]) {
  const target = ["--transport", "http", "--header", `Authorization: Bearer ${KEY}`, "--server-url", `${url}/${path}`];
  await inspectAll(`/${path}`, target);
}
await runSuite("/mcp", `${url}/mcp`, KEY);
await runSuite("/admin/mcp", `${url}/admin/mcp`, KEY);
const main = join(import.meta.dir, "../src/main.ts");
const port = new URL(url).port;
await inspectAll("galley mcp", ["--", process.execPath, main, "mcp", folder.root, "--port", port]);
await galley.close();

const reference = process.argv.indexOf("--reference");
if (reference > 0) {
  // it has Strapi's own settings there
  rmSync(join(folder.root, "config/server.json"));
  const root = layOut(process.argv[reference + 1]!, folder.root);
  const strapi = await start(root, 4799, { MCP: "true" }, true);
  const token = await createAdminToken(strapi.url, await registerAdministrator(strapi.url));
  await runSuite("Strapi", `${strapi.url}/mcp`, token);
  await strapi.stop();
}
folder.remove();
process.exit(hasFailed ? 1 : 0);
