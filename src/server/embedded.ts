/** Opens, serves, resets and closes a project inside another program. */
import { resolve } from "node:path";
import type { ReproducibleState } from "../engine/documents/reproducible.ts";
import type { UploadSnapshot } from "../engine/media/upload-folder.ts";
import type { Document } from "../engine/query/select.ts";
import { contentType } from "../engine/schema/model.ts";
import type { DocumentMethods, Entry, Galley, Snapshot } from "../public-types.ts";
import { withStatuses } from "./error-statuses.ts";
import { closeStorage, storageFromSnapshot } from "./project/code-storage.ts";
import type { Project, ProjectOptions } from "./project/project.ts";
import { openWithCode, type StartOptions, startProject } from "./start.ts";

interface SnapshotState {
  readonly rows: Uint8Array;
  readonly files: UploadSnapshot;
  readonly state: ReproducibleState | undefined;
}

export interface Embedded<Served> {
  readonly project: () => Project;
  readonly served: () => Served;
  readonly documents: Galley["documents"];
  /** Takes a snapshot for `reset`. Rejects if the database is not in memory. */
  readonly snapshot: () => Promise<Snapshot>;
  /** Restores a database in memory and the uploaded files to a snapshot; by default to the state after the start. */
  readonly reset: (to?: Snapshot) => Promise<void>;
  /** Resolves when the project is closed. Can be called again. */
  readonly close: () => Promise<void>;
}

/** `serve` is called again after each reset and reload. Rejects with a ProjectError that names the file if the project cannot be served. */
export async function embed<Served>(
  folder: string,
  options: StartOptions,
  serve: (project: Project) => Served,
): Promise<Embedded<Served>> {
  const root = resolve(folder);
  let { project } = await startProject(root, options);
  await project.idle();
  project.context.storage.serve();
  let served = serve(project);
  const reload = async (): Promise<Error | undefined> => {
    const { context, secrets, uploads, transactions, code } = project;
    try {
      const opened = await openWithCode(root, options, { storage: context.storage, secrets, uploads, transactions });
      const next = await opened.start();
      await code?.destroy();
      project.ended.abort();
      project = next;
      project.reloader.reload = reload;
      served = serve(project);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  if (!options.memory) project.reloader.reload = reload;
  const takeSnapshot = (): SnapshotState => ({
    rows: project.context.storage.snapshot(),
    files: project.uploads.snapshot(),
    state: options.reproducible?.state(),
  });
  let initialState = options.memory ? takeSnapshot() : undefined;
  const snapshots = new WeakMap<Snapshot, SnapshotState>();
  const findState = (snapshot: Snapshot | undefined): SnapshotState => {
    if (!initialState) throw new Error("Only a database in memory can be reset");
    const state = snapshot ? snapshots.get(snapshot) : initialState;
    if (!state) throw new Error("The snapshot is of another project");
    return state;
  };
  // a reset does not read the files again
  const optionsForReset = (): ProjectOptions => {
    const { fileSettings, schema } = project;
    return { ...options, source: () => ({ settings: fileSettings, schema }) };
  };
  let closing: Promise<void> | undefined;
  return {
    project: () => project,
    served: () => served,
    documents: <T extends object>(uid: string) => {
      const service: DocumentMethods<Document> = project.context.documents(contentType(project.model, uid));
      return withStatuses(service) as DocumentMethods<unknown> as DocumentMethods<Entry<T>>;
    },
    snapshot: async () => {
      findState(undefined);
      await project.idle();
      const snapshot = { takenAt: new Date() };
      snapshots.set(snapshot, takeSnapshot());
      return snapshot;
    },
    reset: async (to) => {
      const { rows, files, state } = findState(to);
      const { context, secrets, uploads, transactions, code } = project;
      await project.idle();
      await code?.destroy();
      project.ended.abort();
      closeStorage(context.storage, transactions);
      uploads.restore(files);
      if (state) options.reproducible?.restore(state);
      const storage = storageFromSnapshot(rows, code !== undefined);
      const opened = await openWithCode(root, optionsForReset(), { storage, secrets, uploads });
      project = await opened.start();
      served = serve(project);
    },
    close: () => {
      initialState = undefined;
      closing ??= project.close();
      return closing;
    },
  };
}
