/** Opens, serves, resets and closes a project inside another program. */
import { resolve } from "node:path";
import type { Mail } from "../engine/access/mail.ts";
import { Reproducible, type ReproducibleState } from "../engine/documents/reproducible.ts";
import type { UploadSnapshot } from "../engine/media/upload-folder.ts";
import type { Document } from "../engine/query/select.ts";
import { contentType } from "../engine/schema/model.ts";
import type { Storage } from "../engine/storage/storage.ts";
import type { WebhookCall } from "../engine/webhooks/webhooks.ts";
import type { SettableClock } from "../lib/clock.ts";
import { ProjectError } from "../lib/errors.ts";
import { isThere } from "../lib/is-there.ts";
import type { DocumentMethods, Entry, Galley, Snapshot } from "../public-types.ts";
import { createStrapiScope, type StrapiScope, sharedScope } from "../strapi/lib/strapi-scope.ts";
import { withStatuses } from "./error-statuses.ts";
import { closeStorage, storageFromSnapshot } from "./project/code-storage.ts";
import { openProject, type Project } from "./project/project.ts";
import { createScheduleRunner } from "./schedule-runner.ts";
import { openWithCode, type StartOptions, startProject } from "./start.ts";

interface SnapshotState {
  readonly rows: Uint8Array;
  readonly files: UploadSnapshot;
  readonly state: ReproducibleState;
}

export interface Embedded<Served> {
  readonly project: () => Project;
  readonly served: () => Served;
  readonly documents: Galley["documents"];
  /** Runs work in which the global `strapi` is that of this branch. */
  readonly inScope: StrapiScope["run"];
  /** Sets where it is served, for links in mails. */
  readonly setAddress: (url: string) => void;
  /** The last ones that were sent, of a database in memory. */
  readonly mails: () => readonly Mail[];
  /** The last requests to webhooks, also those that are not sent. Throws if the database is not in memory. */
  readonly webhooks: () => readonly WebhookCall[];
  readonly clock: SettableClock;
  /** Publishes and unpublishes what is due. Never rejects. */
  readonly runSchedule: () => Promise<void>;
  /** Takes a snapshot for `reset`. Rejects if the database is not in memory. */
  readonly snapshot: () => Promise<Snapshot>;
  /** The database as of a snapshot, by default as of the start. Throws if it is not in memory. */
  readonly rowsOf: (snapshot?: Snapshot) => Uint8Array;
  /** Restores a database in memory and the uploaded files to a snapshot; by default to the state after the start. */
  readonly reset: (to?: Snapshot) => Promise<void>;
  /** A copy of database, uploaded files, clock and ids, with a start of its own of the project's code. Rejects if the database is not in memory. */
  readonly branch: () => Promise<Embedded<Served>>;
  /** Resolves when the project is closed. Can be called again. */
  readonly close: () => Promise<void>;
}

/**
 * `serve` is called when what it makes is first needed, and again after each reset and reload. Rejects with a ProjectError that names the
 * file if the project cannot be served.
 */
export async function embed<Served>(
  folder: string,
  options: StartOptions,
  serve: (project: Project) => Served,
): Promise<Embedded<Served>> {
  const root = resolve(folder);
  // as a project without files, it would answer every request with 404
  if (!isThere(root)) throw new ProjectError(root, undefined, "there is no such folder");
  const own = ownOptions(options);
  const { project } = await startProject(root, own.options);
  await project.idle();
  return embedProject(root, own, serve, project);
}

/** Earlier ones are forgotten. */
const MAX_KEPT = 1_000;
/** Of all bodies of requests to webhooks, in characters. */
const MAX_BODIES = 64 * 1024 * 1024;

interface Own {
  readonly scope: StrapiScope;
  readonly options: StartOptions & { readonly reproducible: Reproducible };
  readonly mails: Mail[];
  readonly webhooks: WebhookCall[];
  /** Where it is served; empty: nowhere. */
  address: string;
}

/** Options of an instance that has an address, mails and requests to webhooks of its own, which are kept if it is in memory. */
function ownOptions(options: StartOptions, scope = sharedScope): Own {
  const mails: Mail[] = [];
  const onMail = (mail: Mail): void => {
    mails.push(mail);
    if (mails.length > MAX_KEPT) mails.shift();
  };
  const webhooks: WebhookCall[] = [];
  const onWebhook = (call: WebhookCall): void => {
    webhooks.push(call);
    let size = webhooks.reduce((sum, { body }) => sum + body.length, 0);
    while (webhooks.length > MAX_KEPT || size > MAX_BODIES) size -= webhooks.shift()!.body.length;
  };
  const own: Own = {
    scope,
    options: {
      address: () => own.address,
      ...options,
      ...(options.memory ? { onMail, onWebhook } : {}),
      reproducible: options.reproducible ?? new Reproducible(undefined, undefined),
    },
    mails,
    webhooks,
    address: "",
  };
  return own;
}

const printProblem = (message: string | Error): void => console.error(`galley: ${message}`);

function findDocuments<T extends object>(
  { context, model }: Project,
  uid: string,
  inScope: StrapiScope["run"],
): DocumentMethods<Entry<T>> {
  const service: DocumentMethods<Document> = context.documents(contentType(model, uid));
  return withStatuses(service, inScope) as DocumentMethods<unknown> as DocumentMethods<Entry<T>>;
}

/** Snapshots of what is embedded. */
function createSnapshots(project: () => Project, { memory, reproducible }: Own["options"], firstRows?: Uint8Array) {
  const states = new WeakMap<Snapshot, SnapshotState>();
  let last: { readonly storage: Storage; readonly changes: string; readonly rows: Uint8Array } | undefined;

  /** The same bytes until the next change, so that branches share them. */
  function rows(): Uint8Array {
    const { storage } = project().context;
    // own code writes on a connection of its own
    const sql = "SELECT total_changes(), schema_version, data_version FROM pragma_schema_version, pragma_data_version";
    const changes = String(storage.first(sql));
    if (last?.storage !== storage || last.changes !== changes) last = { storage, changes, rows: storage.snapshot() };
    return last.rows;
  }

  function take(taken = rows()): SnapshotState {
    return { rows: taken, files: project().uploads.snapshot(), state: reproducible.state() };
  }

  function keep(): Snapshot {
    const snapshot = { takenAt: new Date() };
    states.set(snapshot, take());
    return snapshot;
  }

  let initial = memory ? take(firstRows) : undefined;
  let isClosed = false;

  /** By default the state after the start. */
  function find(snapshot: Snapshot | undefined): SnapshotState {
    if (isClosed) throw new Error("The project, or the branch, is closed");
    if (!initial) throw new Error("Only a database in memory can be reset, and compared with an earlier state");
    const state = snapshot ? states.get(snapshot) : initial;
    if (!state) throw new Error("The snapshot is of another project");
    return state;
  }

  function close(): void {
    isClosed = true;
    initial = undefined;
  }

  return { rows, keep, find, close };
}

/** A copy does not read the files again. */
function optionsForCopy(options: Own["options"], project: Project): Own["options"] {
  const { fileSettings, schema, model, fingerprint } = project;
  return { ...options, source: () => ({ settings: fileSettings, schema, resolved: { model, fingerprint } }) };
}

/** Opens a project again as it was, in place of another one. */
async function restore(
  root: string,
  options: Own["options"],
  project: Project,
  { rows, files, state }: SnapshotState,
): Promise<Project> {
  const { context, secrets, uploads, transactions, code } = project;
  await project.idle();
  await code?.destroy();
  project.ended.abort();
  closeStorage(context.storage, transactions);
  uploads.restore(files);
  options.reproducible.restore(state);
  const storage = storageFromSnapshot(rows, code !== undefined);
  const opened = await openWithCode(root, optionsForCopy(options, project), { storage, secrets, uploads });
  return opened.start();
}

async function openBranch<Served>(
  root: string,
  { options }: Own,
  serve: (project: Project) => Served,
  project: Project,
  rows: Uint8Array,
): Promise<Embedded<Served>> {
  const { address: _, ...shared } = optionsForCopy(options, project);
  const scopeOfCode = project.code && createStrapiScope();
  const copied = ownOptions({ ...shared, reproducible: options.reproducible.copy() }, scopeOfCode);
  const parts = {
    storage: storageFromSnapshot(rows, project.code !== undefined),
    secrets: project.secrets,
    uploads: project.uploads.copy(),
  };
  if (!project.code) return embedProject(root, copied, serve, openProject(root, copied.options, parts), rows);
  return copied.scope.run(async () => {
    const opened = await openWithCode(root, copied.options, parts);
    try {
      return embedProject(root, copied, serve, await opened.start(), rows);
    } catch (error) {
      // its code has not started
      await opened.project.close();
      throw error;
    }
  });
}

/** `firstRows`: the content of the database, if it is known already. */
function embedProject<Served>(
  root: string,
  own: Own,
  serve: (project: Project) => Served,
  first: Project,
  firstRows?: Uint8Array,
): Embedded<Served> {
  const { options, mails, webhooks, scope } = own;
  const inScope = scope.run;
  let project = first;
  project.context.storage.serve();
  // a branch of which only the documents are used needs no routes
  let served: Served | undefined;
  const schedule = createScheduleRunner(() => project, printProblem);
  if (!project.isReadOnly) schedule.start();
  const reload = async (): Promise<Error | undefined> => {
    const { context, secrets, uploads, transactions, code } = project;
    try {
      const reused = { storage: context.storage, secrets, uploads, transactions };
      const opened = await openWithCode(root, options, reused, code?.handles);
      const next = await opened.start();
      await code?.destroy();
      project.ended.abort();
      project = next;
      project.reloader.reload = reload;
      served = undefined;
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  if (!options.memory) project.reloader.reload = reload;
  const snapshots = createSnapshots(() => project, options, firstRows);
  let closing: Promise<void> | undefined;
  return {
    project: () => project,
    served: () => {
      served ??= serve(project);
      return served;
    },
    documents: (uid) => findDocuments(project, uid, inScope),
    setAddress: (url) => {
      own.address = url;
    },
    mails: () => mails,
    webhooks: () => {
      if (!options.memory) throw new Error("Requests to webhooks are kept for a database in memory only");
      return webhooks;
    },
    clock: options.reproducible.clock,
    runSchedule: () => schedule.runAll(),
    snapshot: async () => {
      snapshots.find(undefined);
      await project.idle();
      return snapshots.keep();
    },
    rowsOf: (snapshot) => snapshots.find(snapshot).rows,
    reset: (to) =>
      inScope(async () => {
        project = await restore(root, options, project, snapshots.find(to));
        served = undefined;
        mails.length = 0;
        webhooks.length = 0;
      }),
    inScope,
    branch: async () => {
      if (!options.memory) throw new Error("Only a database in memory has branches");
      await project.idle();
      return openBranch(root, own, serve, project, snapshots.rows());
    },
    close: () => {
      snapshots.close();
      closing ??= schedule
        .close()
        .then(() => inScope(() => project.close()))
        .finally(scope.end);
      return closing;
    },
  };
}
