/** What the compiled executable must do on a machine that has nothing else: each check answers its problem, if any. */
import { join } from "node:path";

type Outcome = readonly [name: string, problem: string | undefined];

function run(file: string, args: readonly string[], cwd: string) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([file, ...args], { cwd, env: {} });
  return { exitCode, text: `${stdout}${stderr}` };
}

async function answers(url: string): Promise<Response | undefined> {
  for (let tries = 0; tries < 100; tries++) {
    const response = await fetch(url).catch(() => undefined);
    if (response) return response;
    await Bun.sleep(20);
  }
  return undefined;
}

/** `folder` is a scratch folder. */
export async function runSmoke(file: string, folder: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const expectThat = (name: string, ok: boolean, seen: unknown): void =>
    void outcomes.push([name, ok ? undefined : Bun.inspect(seen)]);

  const version = run(file, ["--version"], folder);
  expectThat("tells its version", version.exitCode === 0 && /^\d+\.\d+\.\d+/.test(version.text), version);

  const project = join(import.meta.dir, "conformance/project");
  const port = 24_000 + Math.floor(Math.random() * 10_000);
  const child = Bun.spawn([file, "serve", project, "--memory", "--quiet", "--port", String(port)], {
    cwd: folder,
    env: {},
    stderr: "pipe",
  });
  const tags = await answers(`http://127.0.0.1:${port}/api/tags?sort=label&populate=*`);
  expectThat("serves a project", tags?.status === 200, [tags?.status, await tags?.text()]);
  const headers = { authorization: "Bearer conformance-full-access", "content-type": "application/json" };
  const body = JSON.stringify({ data: { label: "from the executable" } });
  const made = await fetch(`http://127.0.0.1:${port}/api/tags`, { method: "POST", headers, body }).catch(
    () => undefined,
  );
  expectThat("takes a document", made?.status === 201, made?.status);
  const query = JSON.stringify({ query: "{ tags { label } }" });
  const graphql = await fetch(`http://127.0.0.1:${port}/graphql`, { method: "POST", headers, body: query }).catch(
    () => undefined,
  );
  const answer = await graphql?.text();
  expectThat("answers GraphQL", answer === '{"data":{"tags":[{"label":"from the executable"}]}}', answer);
  const page = await fetch(`http://127.0.0.1:${port}/graphql/playground/graphiql.js`).catch(() => undefined);
  const script = await page?.text();
  expectThat("has the page for queries with it", page?.status === 200 && (script?.length ?? 0) > 500_000, page?.status);
  child.kill("SIGTERM");
  expectThat("stops cleanly", (await child.exited) === 0, child.exitCode);
  return outcomes;
}
