/** A project inside another program: opened, served, reset and closed. */
import { resolve } from "node:path";
import { DocumentService } from "../documents/document-service.ts";
import { contentType } from "../schema/model.ts";
import { closeStorage, storageFromSnapshot } from "./code-storage.ts";
import type { Project, ProjectOptions } from "./project.ts";
import { openWithCode, type StartOptions, startProject } from "./start.ts";

export interface Embedded<Served> {
  readonly project: () => Project;
  readonly served: () => Served;
  /** The document service of a content-type, by uid. Throws for an unknown one. */
  readonly documents: (uid: string) => DocumentService;
  /** Resets a database in memory, and the uploaded files, to the state after the start. */
  readonly reset: () => Promise<void>;
  /** Fulfilled when the project is closed, however often it is called. */
  readonly close: () => Promise<void>;
}

/** `serve` is called again after each reset. Throws a ProjectError that names the file for a project that cannot be served. */
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
      project = next;
      project.reloader.reload = reload;
      served = serve(project);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  if (!options.memory) project.reloader.reload = reload;
  let template = options.memory
    ? { rows: project.context.storage.snapshot(), files: project.uploads.list() }
    : undefined;
  // an archive is read once: what it says is the project's source from then on
  const again = (): ProjectOptions => {
    const { settings, schema } = project;
    return options.archive ? { ...options, source: () => ({ settings, schema }) } : options;
  };
  let closing: Promise<void> | undefined;
  return {
    project: () => project,
    served: () => served,
    documents: (uid) => new DocumentService(project.context, contentType(project.model, uid)),
    reset: async () => {
      if (!template) throw new Error("Only a database in memory can be reset");
      const { context, secrets, uploads, transactions, code } = project;
      await project.idle();
      await code?.destroy();
      closeStorage(context.storage, transactions);
      uploads.keepOnly(template.files);
      const storage = storageFromSnapshot(template.rows, code !== undefined);
      const opened = await openWithCode(root, again(), { storage, secrets, uploads });
      project = await opened.start();
      served = serve(project);
    },
    close: () => {
      template = undefined;
      closing ??= project.close();
      return closing;
    },
  };
}
