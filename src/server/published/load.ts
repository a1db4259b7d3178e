/**
 * Loads an archive into a database and an uploads folder, in a child process: neither the load nor a hostile archive affects the
 * process that serves requests.
 */

import type { Environment } from "../../engine/config/env.ts";
import { loadSettings } from "../../engine/config/settings.ts";
import type { RawSchema } from "../../engine/schema/definition.ts";
import { childEnvironment } from "../../lib/child-environment.ts";
import type { ProjectProblem } from "../../lib/errors.ts";
import type { ArchiveSource } from "../../transfer/archive/entries.ts";
import { openArchive } from "../archive.ts";
import type { ProjectSource } from "../project/project-source.ts";

export interface LoadTask {
  readonly archive: Pick<ArchiveSource, "file" | "key">;
  readonly folder: string;
  readonly environment: Environment;
  /** Those of the archive by default. */
  readonly schema?: RawSchema;
}

/** A loaded archive. */
export interface PublishedContent {
  /** A project folder with the database and the uploads. */
  readonly folder: string;
  readonly source: ProjectSource;
}

export type LoadResult =
  | { readonly kind: "loaded"; readonly source: ProjectSource }
  /** The archive cannot be served. */
  | { readonly kind: "refused"; readonly problems: readonly ProjectProblem[] };

const LOAD_MS = 3_600_000;

/** Runs in the child process. Rejects with a ProjectError if the archive cannot be served. */
export async function loadArchive({ archive, folder, environment, schema: given }: LoadTask): Promise<ProjectSource> {
  // the server's output; errors are read as the reason of a failure
  const announce = (line: string): void => console.log(`galley: ${line}`);
  const source = given && (() => ({ settings: loadSettings(folder, environment), schema: given }));
  const options = { memory: false, publicRead: false, environment, announce, ...(source && { source }) };
  const project = await openArchive(archive, options, folder);
  const { fileSettings: settings, schema } = project;
  await project.close();
  return { settings, schema };
}

export interface LoadOptions {
  /** Command that starts the child process. */
  readonly command: readonly string[];
  /** Kills the child process. */
  readonly signal: AbortSignal;
}

/** Loads an archive in a child process. Rejects with an Error that says why it failed, be it the archive's fault or not. */
export async function loadInChildProcess(task: LoadTask, { command, signal }: LoadOptions): Promise<PublishedContent> {
  let result: LoadResult | undefined;
  const child = Bun.spawn([...command], {
    stdio: ["ignore", "inherit", "pipe"],
    env: childEnvironment(task.environment),
    serialization: "advanced",
    ipc: (message: LoadResult) => {
      result = message;
    },
    timeout: LOAD_MS,
    killSignal: "SIGKILL",
    signal,
  });
  child.send(task);
  const errors = await new Response(child.stderr).text();
  const code = await child.exited;
  if (result?.kind === "loaded" && code === 0) return { folder: task.folder, source: result.source };
  if (result?.kind === "refused") throw new Error(result.problems.map(({ reason }) => reason).join("; "));
  const reason = errors.trim().split("\n").at(-1) || `ended with ${child.signalCode ?? code}`;
  throw new Error(`it could not be loaded: ${reason.replace(/^galley: /, "")}`);
}
