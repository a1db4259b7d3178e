/** Which versions of Strapi's packages npm has for a version of Strapi: some appear later than others. */
import { PLUGINS } from "./reference.ts";

/** Asks the registry; `npm view` prints a single value without a list. */
export type View = (name: string, field: string) => Promise<unknown>;

export const npmView: View = async (name, field) => {
  const { stdout, stderr, exitCode } = Bun.spawnSync(["npm", "view", name, field, "--json"]);
  if (exitCode !== 0) throw new Error(`npm view ${name} ${field} failed:\n${stderr.toString().slice(-1_000)}`);
  const text = stdout.toString().trim();
  return text === "" ? undefined : JSON.parse(text);
};

const isRelease = (version: string): boolean => /^\d+\.\d+\.\d+$/.test(version);

/** The newest release that is not after `limit`; undefined if there is none. */
export function newestUpTo(versions: readonly string[], limit: string): string | undefined {
  return versions
    .filter((version) => isRelease(version) && Bun.semver.order(version, limit) <= 0)
    .sort(Bun.semver.order)
    .at(-1);
}

/** Packages that are not there in `version`, with the newest version before it. Throws if Strapi itself is not there. */
export async function findLagging(version: string, view: View): Promise<Record<string, string>> {
  const lagging: Record<string, string> = {};
  const seen = new Set<string>(["@strapi/strapi", ...PLUGINS]);
  for (const name of seen) {
    const versions = [(await view(name, "versions")) ?? []].flat() as string[];
    const found = newestUpTo(versions, version);
    if (!found || (name === "@strapi/strapi" && found !== version)) {
      throw new Error(`npm has no ${name} ${version}`);
    }
    if (found !== version) lagging[name] = found;
    const dependencies = ((await view(`${name}@${found}`, "dependencies")) ?? {}) as Record<string, string>;
    for (const [dependency, range] of Object.entries(dependencies)) {
      // packages that are released together name each other by their own version
      if (dependency.startsWith("@strapi/") && range === found) seen.add(dependency);
    }
  }
  return lagging;
}
