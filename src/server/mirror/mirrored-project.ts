/** The folder of a mirror's copy: a project of its own, with the schemas and limits of the origin, and what its token may read. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../../engine/config/env.ts";
import { loadSettings, type Settings } from "../../engine/config/settings.ts";
import type { RawSchema } from "../../engine/schema/definition.ts";
import { findErrorCode } from "../../lib/error-code.ts";
import { replaceFile } from "../../lib/replace-file.ts";
import type { ProjectSource } from "../project/project-source.ts";

/** What a mirror remembers of its origin, besides the content. */
export interface MirrorState {
  /** The folder of the copy, below that of the mirror. */
  readonly copy: string;
  /** Actions that everybody who reaches the mirror may do. */
  readonly actions: readonly string[];
  /** Uids of types that the copy answers for. */
  readonly served: readonly string[];
  readonly limits: ListLimits;
  /** Whether the origin has GraphQL. */
  readonly hasGraphql: boolean;
  /** When the origin was last asked for changes, in milliseconds since 1970. */
  readonly checkedAt: number;
  /** When everything was last read. */
  readonly readAt: number;
}

export interface ListLimits {
  readonly defaultLimit?: number | undefined;
  readonly maxLimit?: number | undefined;
}

const SCHEMA = "schema.json";
const STATE = "state.json";

/** Replaces a file atomically. */
function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify(value, null, 2)}\n`;
  replaceFile(file, (unfinished) => writeFileSync(unfinished, text, { mode: 0o600 }));
}

/** Undefined if there is none. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (findErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

export const readState = (folder: string): MirrorState | undefined =>
  readJson(join(folder, STATE)) as MirrorState | undefined;

export const writeState = (folder: string, state: MirrorState): void => writeJson(join(folder, STATE), state);

/** Writes the schemas and settings of a copy. `settings`: of the origin's project, or the defaults. */
export function writeProject(
  folder: string,
  schema: RawSchema,
  { rest, graphql, privateAttributes, galley }: Settings,
  { limits, actions }: { readonly limits: ListLimits; readonly actions: readonly string[] },
): void {
  writeJson(join(folder, SCHEMA), schema);
  writeJson(join(folder, "config/api.json"), {
    rest: { ...rest, ...limits },
    responses: { privateAttributes },
  });
  const { endpoint, defaultLimit, maxLimit, depthLimit, introspection, v4CompatibilityMode } = graphql;
  writeJson(join(folder, "config/plugins.json"), {
    graphql: { config: { endpoint, defaultLimit, maxLimit, depthLimit, introspection, v4CompatibilityMode } },
  });
  writeActions(folder, actions, galley.customFields);
}

/** Writes what everybody may do. */
export const writeActions = (
  folder: string,
  actions: readonly string[],
  customFields: Settings["galley"]["customFields"],
): void =>
  writeJson(join(folder, "config/galley.json"), {
    roles: { public: actions },
    ...(customFields ? { customFields } : {}),
  });

/** Reads what `writeProject` has written. */
export const readProject = (folder: string, environment: Environment): ProjectSource => ({
  settings: loadSettings(folder, environment),
  schema: readJson(join(folder, SCHEMA)) as RawSchema,
});

/** The folder of the mirror of a server. `folder`: that of all mirrors. */
export function mirrorFolder(folder: string, root: string): string {
  const name = new URL(root).host.replace(/[^a-z0-9.-]/gi, "-");
  return join(folder, `${name}-${Bun.hash(root).toString(36)}`);
}
