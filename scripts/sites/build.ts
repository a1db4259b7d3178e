/** Installs and builds the sites of `scripts/sites`. */
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

export const BUILD = ["npm", "run", "build"];

/** For the packages of sites: nothing about a build is sent anywhere, and output is for a log. */
export const quietEnvironment = (): Record<string, string | undefined> => ({
  ...process.env,
  NEXT_TELEMETRY_DISABLED: "1",
  ASTRO_TELEMETRY_DISABLED: "1",
  GATSBY_TELEMETRY_DISABLED: "1",
  CI: "true",
});

/** Resolves with what the command printed, without colours; rejects with its end if it failed. */
export async function run(
  command: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<string> {
  const env = { ...quietEnvironment(), ...environment };
  const child = Bun.spawn([...command], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0)
    throw new Error(`${command.join(" ")} ended with ${child.exitCode}:\n${(out + errors).slice(-4_000)}`);
  return Bun.stripANSI(out + errors);
}

/** The site's folder below `work`, with its packages installed and nothing built. `path`: below `scripts/sites`. */
export async function prepare(path: string, work: string): Promise<string> {
  const folder = join(work, path);
  mkdirSync(folder, { recursive: true });
  cpSync(join(import.meta.dir, path), folder, { recursive: true });
  if (!existsSync(join(folder, "node_modules")))
    await run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], folder);
  return folder;
}
