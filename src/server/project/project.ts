/** Opens a project folder: configuration, model, database and access, in the order of their dependencies. */
import { join } from "node:path";
import { type AccessOptions, AccessParts } from "../../engine/access/index.ts";
import type { Mail } from "../../engine/access/mail.ts";
import type { Counter } from "../../engine/access/rate-limit.ts";
import { loadSecrets, type Secrets } from "../../engine/access/secrets.ts";
import { withStoredAuth } from "../../engine/access/stored-auth.ts";
import { Tokens } from "../../engine/access/tokens.ts";
import type { Environment } from "../../engine/config/env.ts";
import type { Settings } from "../../engine/config/settings.ts";
import { type DocumentsContext, randomIds } from "../../engine/documents/context.ts";
import type { Reproducible } from "../../engine/documents/reproducible.ts";
import type { MediaService } from "../../engine/media/media-service.ts";
import type { PublicFiles } from "../../engine/media/public-files.ts";
import type { UploadFolder } from "../../engine/media/upload-folder.ts";
import type { RawSchema } from "../../engine/schema/definition.ts";
import type { Model } from "../../engine/schema/model.ts";
import type { AsyncTransactions } from "../../engine/storage/async-transactions.ts";
import { CHANGE_LOG } from "../../engine/storage/catalog.ts";
import { createLayout, hasLayout } from "../../engine/storage/layout.ts";
import type { Change } from "../../engine/storage/migrate.ts";
import { asProjectError } from "../../engine/storage/problems.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { Webhook } from "../../engine/webhooks/webhook.ts";
import type { WebhookCall } from "../../engine/webhooks/webhooks.ts";
import { Clock } from "../../lib/clock.ts";
import { ProjectError, type ProjectProblem, ProjectReport } from "../../lib/errors.ts";
import type { Progress } from "../../lib/progress.ts";
import type { ProjectCode } from "../../strapi/project-code.ts";
import { applyIfChanged, type CodeActions } from "./apply-settings.ts";
import { closeStorage, openAsyncTransactions, openStorage, storageFromSnapshot } from "./code-storage.ts";
import { createMailProvider, createPasswordRule, createPluginConfig } from "./plugin-config.ts";
import {
  changeTables,
  checkBeforeUse,
  checkedFingerprint,
  loadWithoutChanges,
  rememberDatabase,
  storedWarnings,
} from "./prepare-tables.ts";
import { createContext, type Interception } from "./project-context.ts";
import { openMedia } from "./project-media.ts";
import {
  checkFiles,
  createModel,
  dataFolder,
  fingerprintOf,
  type ProjectSource,
  readSource,
  withFile,
} from "./project-source.ts";
import { ProjectWebhooks } from "./project-webhooks.ts";
import type { Reloader } from "./reloader.ts";
import type { TableCache } from "./table-cache.ts";

export interface ProjectOptions extends CodeActions {
  /** Keep the database in memory, and write nothing into the project folder. */
  readonly memory: boolean;
  /** Cache of empty databases for projects in memory; none by default. */
  readonly tableCache?: TableCache | undefined;
  /** Grant the public read access to all content-types. */
  readonly publicRead: boolean;
  /** Whether to serve the admin's routes; false by default. */
  readonly admin?: (settings: Settings) => boolean;
  readonly environment: Environment;
  /** URL of the server, for links in mails. */
  readonly address?: () => string;
  /** Prints a line on the command line. */
  readonly announce?: (line: string) => void;
  /** Told how far a change of the tables is, which does not leave the turn. */
  readonly progress?: Progress;
  /**
   * Files that another process has already read, checked and applied to the database: this process reads no files, and does
   * not change the database while it opens the project.
   */
  readonly prepared?: () => ProjectSource;
  /** Overrides settings of the files for this start. */
  readonly adjust?: (settings: Settings) => Settings;
  /** A clock and ids that tests set; those of the system by default. */
  readonly reproducible?: Reproducible | undefined;
  /** Refuse requests that write; false by default. */
  readonly readOnly?: boolean;
  /** Schemas and settings to serve instead of the project's files. Problems of files that it reads go to `report`. */
  readonly source?: (report: ProjectReport) => ProjectSource;
  /** Command that starts a process for long reads; without it, they block this process. */
  readonly readerCommand?: readonly string[];
  /** Told of each mail that was sent. */
  readonly onMail?: ((mail: Mail) => void) | undefined;
  /** For a test: webhooks beside those that are stored. */
  readonly testWebhooks?: readonly Webhook[] | undefined;
  /** Told of each request to a webhook of a test, also of those that are not sent. */
  readonly onWebhook?: ((call: WebhookCall) => void) | undefined;
  /** Counter for rate limits; one in this process by default. */
  readonly counter?: Counter;
}

export interface Project {
  readonly root: string;
  readonly settings: Settings;
  /** Settings of the files, without those that are stored in the database. */
  readonly fileSettings: Settings;
  readonly hasAdmin: boolean;
  /** Prints a line on the command line; undefined if there is none. */
  readonly announce: ((line: string) => void) | undefined;
  /** Requests that write are refused. */
  readonly isReadOnly: boolean;
  /** `reload` is set if this process serves the project's files and may change them. */
  readonly reloader: Reloader;
  /** Aborted when the project is no longer served, or is replaced after a reload: ends streaming responses. */
  readonly ended: AbortController;
  /** The schema files, unresolved. */
  readonly schema: RawSchema;
  readonly model: Model;
  readonly context: DocumentsContext;
  /** Where the project's own code takes part in reads and writes. */
  readonly interception: Interception;
  readonly access: AccessParts;
  /** The media library; its code is loaded when it is first changed. */
  readonly media: () => MediaService;
  readonly files: PublicFiles;
  readonly uploads: UploadFolder;
  readonly secrets: Secrets;
  readonly webhooks: ProjectWebhooks;
  /** Transactions that can wait for the project's own code; undefined if it has none. */
  readonly transactions: AsyncTransactions | undefined;
  /** The project's own code, once it has started. */
  readonly code: ProjectCode | undefined;
  /** Hash of the schema files and settings. */
  readonly fingerprint: string;
  /** Changes of the tables that this start made. */
  readonly changes: readonly Change[];
  /** Problems in files that are served differently from what they say. */
  readonly warnings: readonly ProjectProblem[];
  /** The database was empty before. */
  readonly isNew: boolean;
  /** Resolves when no background work is running: passwords of configured users, mails. */
  readonly idle: () => Promise<void>;
  /** Waits for background work, then closes the database. */
  readonly close: () => Promise<void>;
  /** `await using` closes it. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Parts of a running project that are reused when it is opened again. */
export interface ReusedParts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly uploads: UploadFolder;
  readonly transactions?: AsyncTransactions | undefined;
}

/** Whether opening the files would change the tables. False if the files cannot be served. */
export function needsOtherTables(root: string, options: ProjectOptions, storage: Storage): boolean {
  try {
    const report = new ProjectReport();
    const source = readSource(root, options.environment, report);
    checkFiles(source, report);
    return !hasLayout(storage, createLayout(createModel(source)));
  } catch {
    // the error is reported when the project is opened
    return false;
  }
}

/**
 * Throws a ProjectError for files that cannot be served; the database is unchanged then. `reused` belongs to the running
 * project that this one replaces.
 */
export function openProject(root: string, options: ProjectOptions, reused?: ReusedParts): Project {
  const report = new ProjectReport();
  const source = options.prepared?.() ?? options.source?.(report) ?? readSource(root, options.environment, report);
  const adjustedSettings = options.adjust?.(source.settings) ?? source.settings;
  const folder = options.memory ? undefined : dataFolder(root);
  const fingerprint = fingerprintOf(source);
  const cache = options.memory && !reused ? options.tableCache : undefined;
  const cached = cache?.get(fingerprint);
  // a new database in memory has no record of earlier checks, so that the files are checked before it is created
  if (options.memory && !reused && !cached) checkFiles(source, report);
  const file = folder === undefined ? undefined : join(folder, "content.db");
  const hasCode = options.extraActions !== undefined;
  const storage = reused?.storage ?? (cached ? storageFromSnapshot(cached, hasCode) : openStorage(file, hasCode));
  storage.progress = options.progress;
  if (file !== undefined) offerLongReads(storage, file, options);
  const transactions =
    reused?.transactions ??
    (hasCode ? openAsyncTransactions(storage, file, adjustedSettings.galley.code?.hookTimeout) : undefined);
  const settings = withStoredAuth(adjustedSettings, storage);
  try {
    const files = { source, settings, fingerprint, report, folder, cache, isFromCache: cached !== undefined };
    return assemble(root, options, files, { storage, transactions }, reused);
  } catch (error) {
    if (reused) storage.loadNumbers();
    else closeStorage(storage, transactions);
    throw asProjectError(withFile(error, source.schema), folder ?? root);
  }
}

interface OpenedFiles {
  readonly source: ProjectSource;
  /** With those that are stored in the database. */
  readonly settings: Settings;
  readonly fingerprint: string;
  /** Problems of the files, once they are checked. */
  readonly report: ProjectReport;
  /** Undefined for a project in memory. */
  readonly folder: string | undefined;
  readonly cache: TableCache | undefined;
  /** The database is a copy of a cached one. */
  readonly isFromCache: boolean;
}

/** Creates the parts of a project in the order of their dependencies. */
function assemble(
  root: string,
  options: ProjectOptions,
  { source, settings, fingerprint, report, folder, cache, isFromCache }: OpenedFiles,
  { storage, transactions }: Pick<Project, "transactions"> & { readonly storage: Storage },
  reused: ReusedParts | undefined,
): Project {
  const checked = checkedFingerprint(storage);
  const opensFile = folder !== undefined && !reused && !options.prepared;
  if (opensFile) checkBeforeUse(folder, storage, checked !== undefined);
  const isUnchanged = checked === fingerprint;
  if (options.prepared && !isUnchanged)
    throw new ProjectError(root, undefined, "its database is ahead of this process");
  if ((!options.memory || reused) && !isUnchanged) checkFiles(source, report);
  const warnings = isUnchanged ? storedWarnings(storage) : report.warnings;
  const model = createModel(source);
  const { clock = new Clock(), ids = randomIds } = options.reproducible ?? {};
  const webhooks = new ProjectWebhooks(storage, settings, { ...options, model, clock, folder });
  const interception: Interception = {};
  const context = createContext({ storage, model, settings, transactions, clock, ids, webhooks, interception });
  const secrets = reused?.secrets ?? loadSecrets(folder, settings.environment);
  const tokens = new Tokens(storage, secrets.tokenSalt, clock);
  const wanted = { fingerprint, warnings, model, settings };
  // in one transaction, so that the stored fingerprint always matches the tables, and an error changes nothing
  const apply = () => {
    const changes = isUnchanged
      ? loadWithoutChanges(storage)
      : storage.transaction(() => changeTables(storage, context, wanted));
    if (!isUnchanged) cache?.set(fingerprint, storage.snapshot());
    const isApplied = options.prepared !== undefined;
    const ready = isApplied ? Promise.resolve() : applyIfChanged(root, context, settings, tokens, secrets, options);
    // those who wait for the passwords get the error; nobody waits if the transaction fails
    ready.catch(() => {});
    return { changes, ready };
  };
  const { changes, ready } = isUnchanged || cache ? apply() : storage.transaction(apply);
  if (opensFile) rememberDatabase(folder);
  transactions?.refresh();
  if (!reused && !options.prepared) continueChangeLog(storage, clock);
  if (options.readOnly) storage.freeze();
  const access = openAccess(root, context, settings, options, { folder, secrets, tokens, ready });
  const media = openMedia(root, context, settings, folder, reused?.uploads, interception);
  const idle = async (): Promise<void> => void (await Promise.allSettled([ready, access.idle()]));
  return {
    root,
    settings,
    fileSettings: source.settings,
    reloader: {},
    ended: new AbortController(),
    hasAdmin: options.admin?.(settings) ?? false,
    announce: options.announce,
    isReadOnly: options.readOnly ?? false,
    schema: source.schema,
    model,
    context,
    interception,
    access,
    ...media,
    secrets,
    webhooks,
    transactions,
    code: undefined,
    fingerprint,
    changes,
    warnings,
    isNew: checked === undefined || isFromCache,
    idle,
    close: async () => {
      await idle();
      await webhooks.close();
      media.uploads.close();
      closeStorage(storage, transactions);
    },
    // own code replaces `close`
    async [Symbol.asyncDispose](this: Pick<Project, "close">) {
      await this.close();
    },
  };
}

function continueChangeLog(storage: Storage, clock: Clock): void {
  if (storage.meta(CHANGE_LOG) === undefined) return;
  const { continueLog } =
    require("../../engine/storage/change-log/upkeep.ts") as typeof import("../../engine/storage/change-log/upkeep.ts");
  continueLog(storage, clock);
}

function openAccess(
  root: string,
  context: DocumentsContext,
  settings: Settings,
  { publicRead, address, announce, counter, extraActions, onMail }: ProjectOptions,
  parts: Pick<AccessOptions, "folder" | "secrets" | "tokens" | "ready">,
): AccessParts {
  const { environment } = settings;
  const pluginConfig = createPluginConfig(root, environment);
  return new AccessParts(context, settings, {
    ...parts,
    publicRead,
    extraActions: extraActions ?? [],
    address: () => settings.server.url || (address?.() ?? ""),
    announce,
    counter,
    onMail,
    passwordRule: () => createPasswordRule(settings, pluginConfig),
    loadMailProvider: createMailProvider(root, environment, pluginConfig),
  });
}

function offerLongReads(storage: Storage, file: string, { readerCommand, environment }: ProjectOptions): void {
  if (!readerCommand) return;
  storage.createLongReads = () => {
    const { ReaderProcesses } =
      require("../readers/reader-processes.ts") as typeof import("../readers/reader-processes.ts");
    return new ReaderProcesses(file, { command: readerCommand, environment });
  };
}
