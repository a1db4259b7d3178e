/** Changes of `config/galley.json`, which declares settings that Strapi stores in its database. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { GalleySettings } from "../engine/config/galley-file.ts";
import { applicationError } from "../lib/errors.ts";
import { replaceFiles } from "./replace-files.ts";
import type { AdminServices } from "./services.ts";

const FILE = "config/galley.json";
const EXTENSIONS = ["js", "ts", "cjs", "mjs"];

type ConfigServices = Pick<AdminServices, "root" | "reload" | "settings">;
export type ConfigChange = (settings: GalleySettings) => GalleySettings;

/** Where the settings come from. */
export interface ConfigSource {
  readonly file: string;
  /** Why they cannot be changed here; absent where they can. */
  readonly problem?: string;
}

/** Not writable if a file for the environment overrides it, or if it is code. */
function overridingFile({ root, settings }: ConfigServices): string | undefined {
  const folder = `config/env/${settings.environment.NODE_ENV ?? "development"}`;
  const code = EXTENSIONS.map((extension) => `config/galley.${extension}`);
  const ofEnvironment = ["json", ...EXTENSIONS].map((extension) => `${folder}/galley.${extension}`);
  return [...ofEnvironment, ...code].find((file) => existsSync(join(root, file)));
}

export function configSource(services: ConfigServices): ConfigSource {
  const overridingPath = overridingFile(services);
  if (overridingPath)
    return { file: overridingPath, problem: `These settings come from ${overridingPath}: change them there` };
  if (services.reload) return { file: FILE };
  const reason = "the project is an archive, in memory, or served by several processes";
  return { file: FILE, problem: `${FILE} cannot be changed here: ${reason}` };
}

/** The file's text; undefined if it does not exist. */
function readText({ root }: ConfigServices): string | undefined {
  const path = join(root, FILE);
  return existsSync(path) ? readFileSync(path, "utf8").replace(/^\uFEFF/, "") : undefined;
}

/** Throws an ApplicationError if the file is invalid; the server then serves an earlier state of it. */
function parse(text: string): GalleySettings {
  try {
    return JSON.parse(text) as GalleySettings;
  } catch (error) {
    throw applicationError(`${FILE} is not valid JSON: ${(error as Error).message}`);
  }
}

const changedText = (text: string | undefined, change: ConfigChange): string =>
  `${JSON.stringify(change(parse(text ?? "{}")), undefined, 2)}\n`;

const SECRET =
  /("(?:key|password|pass|secret|clientSecret|apiKey|accessToken|refreshToken)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi;

const withoutSecrets = (text: string): string => text.replace(SECRET, '$1"…"');

const hashText = (text: string | undefined): string => Bun.hash(text ?? "").toString(36);

/**
 * Previews a change of the file, without keys and passwords. `mark`: a hash of the file; a change with it is refused if the file has
 * changed since. Throws an ApplicationError if the settings do not come from this file.
 */
export function previewConfig(services: ConfigServices, change: ConfigChange) {
  const { file, problem } = configSource(services);
  if (problem !== undefined) throw applicationError(problem);
  const text = readText(services);
  const after = withoutSecrets(changedText(text, change));
  return { file, before: withoutSecrets(text ?? ""), after, mark: hashText(text) };
}

/**
 * Writes the file and reloads the project. Throws an ApplicationError if the settings do not come from this file, if the file
 * no longer has the mark, and if the project cannot be served with the changed file, which is restored then.
 */
export async function changeConfig(services: ConfigServices, change: ConfigChange, mark?: string): Promise<void> {
  const { root, reload } = services;
  const { problem } = configSource(services);
  if (problem !== undefined || !reload) throw applicationError(problem ?? "");
  const before = readText(services);
  if (mark !== undefined && mark !== hashText(before))
    throw applicationError(`${FILE} was changed meanwhile: look at the change again`);
  const replaced = replaceFiles(root, [{ path: FILE, after: changedText(before, change) }], 0o600);
  const reloadError = await reload([FILE]);
  if (reloadError === undefined) return replaced.finish();
  replaced.restore();
  await reload([FILE]);
  throw applicationError(reloadError.message);
}
