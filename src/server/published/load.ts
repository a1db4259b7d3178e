/**
 * Makes a database and a folder of uploads of an archive, in a process of its own: what that costs, and whatever a hostile
 * archive does, never reaches the process that answers requests.
 */
import type { Environment } from "../../config/env.ts";
import type { ProjectProblem } from "../../errors.ts";
import type { ArchiveSource } from "../../transfer/archive/entries.ts";
import { openArchive } from "../archive.ts";
import type { ProjectSource } from "../project-source.ts";

export interface ToLoader {
  readonly archive: Pick<ArchiveSource, "file" | "key">;
  readonly folder: string;
  readonly environment: Environment;
}

/** What an archive has become. */
export interface PublishedContent {
  /** Has the database and the uploads, in the places of a project. */
  readonly folder: string;
  readonly source: ProjectSource;
}

export type FromLoader =
  | { readonly kind: "loaded"; readonly source: ProjectSource }
  /** The archive cannot be served. */
  | { readonly kind: "refused"; readonly problems: readonly ProjectProblem[] };

const LOAD_MS = 3_600_000;

/** In the loader's process. Rejects with a ProjectError for what cannot be served. */
export async function loadArchive({ archive, folder, environment }: ToLoader): Promise<ProjectSource> {
  const project = await openArchive(archive, { memory: false, publicRead: false, environment }, folder);
  const { fileSettings: settings, schema } = project;
  await project.close();
  return { settings, schema };
}

export interface LoadOptions {
  /** The command that starts a loader. */
  readonly command: readonly string[];
  /** Ends the loader. */
  readonly signal: AbortSignal;
}

/** Rejects with an error that says why the archive is not served, whoever is to blame for it. */
export async function loadApart(task: ToLoader, { command, signal }: LoadOptions): Promise<PublishedContent> {
  let answer: FromLoader | undefined;
  const child = Bun.spawn([...command], {
    stdio: ["ignore", "inherit", "pipe"],
    env: { ...task.environment },
    serialization: "advanced",
    ipc: (message: FromLoader) => {
      answer = message;
    },
    timeout: LOAD_MS,
    killSignal: "SIGKILL",
    signal,
  });
  child.send(task);
  const errors = await new Response(child.stderr).text();
  const code = await child.exited;
  if (answer?.kind === "loaded" && code === 0) return { folder: task.folder, source: answer.source };
  if (answer?.kind === "refused") throw new Error(answer.problems.map(({ reason }) => reason).join("; "));
  const reason = errors.trim().split("\n").at(-1) || `ended with ${child.signalCode ?? code}`;
  throw new Error(`it could not be loaded: ${reason.replace(/^galley: /, "")}`);
}
