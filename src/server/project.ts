/** Opens a project folder: configuration, model, database and access, in the order of their dependencies. */
import { join, resolve } from "node:path";
import { DEFAULT_LOCALE } from "../access/default-locale.ts";
import { AccessParts } from "../access/index.ts";
import type { Counter } from "../access/rate-limit.ts";
import { loadSecrets, type Secrets } from "../access/secrets.ts";
import { withStoredAuth } from "../access/stored-auth.ts";
import { Tokens } from "../access/tokens.ts";
import type { Environment } from "../config/env.ts";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import type { Reproducible } from "../documents/reproducible.ts";
import { ProjectError, type ProjectProblem, ProjectReport } from "../errors.ts";
import type { MediaService } from "../media/media-service.ts";
import { PublicFiles } from "../media/public-files.ts";
import { UploadFolder } from "../media/upload-folder.ts";
import type { ProjectCode } from "../project-code/project-code.ts";
import type { RawSchema } from "../schema/definition.ts";
import type { Model } from "../schema/model.ts";
import type { AsyncTransactions } from "../storage/async-transactions.ts";
import { hasLayout, layoutOf } from "../storage/layout.ts";
import type { Change } from "../storage/migrate.ts";
import { asProjectError } from "../storage/problems.ts";
import type { Storage } from "../storage/storage.ts";
import { applyIfChanged } from "./apply-settings.ts";
import { closeStorage, openAsyncTransactions, openStorage, storageFromSnapshot } from "./code-storage.ts";
import { mailProviderOf } from "./mail-provider.ts";
import { passwordRuleOf, pluginConfigOf } from "./plugin-config.ts";
import { createContext } from "./project-context.ts";
import { checkFiles, dataFolder, hash, modelOf, type ProjectSource, readSource, withFile } from "./project-source.ts";
import { ProjectWebhooks } from "./project-webhooks.ts";
import type { TableCache } from "./table-cache.ts";

export interface ProjectOptions {
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
  /**
   * Files that another process has already read, checked and applied to the database: this process reads no files, and does
   * not change the database while it opens the project.
   */
  readonly prepared?: () => ProjectSource;
  /** Overrides settings of the files for this start. */
  readonly adjust?: (settings: Settings) => Settings;
  /** Deterministic times and ids, for tests; those of the system by default. */
  readonly reproducible?: Reproducible | undefined;
  /** Refuse requests that write; false by default. */
  readonly readOnly?: boolean;
  /** Schemas and settings to serve instead of the project's files. Problems of files that it reads go to `report`. */
  readonly source?: (report: ProjectReport) => ProjectSource;
  /** Command that starts a process for long reads; without it, they block this process. */
  readonly readerCommand?: readonly string[];
  /** Counter for rate limits; one in this process by default. */
  readonly counter?: Counter;
  /** Actions of the project's own code; undefined if no code is to run. */
  readonly codeActions?: readonly string[];
}

/** Reloads a served project. */
export interface Reloader {
  /** Serves the project's files as they are now. Resolves with the error if they cannot be served. */
  reload?: () => Promise<Error | undefined>;
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
}

/** Parts of a running project that are reused when it is opened again. */
export interface ReusedParts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly uploads: UploadFolder;
  readonly transactions?: AsyncTransactions | undefined;
}

/** Meta key of the warnings about the files of the stored fingerprint. */
const WARNINGS = "warnings";

/** Whether opening the files would change the tables. False if the files cannot be served. */
export function needsOtherTables(root: string, options: ProjectOptions, storage: Storage): boolean {
  try {
    const report = new ProjectReport();
    const source = readSource(root, options.environment, report);
    checkFiles(source, report);
    return !hasLayout(storage, layoutOf(modelOf(source)));
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
  const { schema: raw } = source;
  const adjustedSettings = options.adjust?.(source.settings) ?? source.settings;
  const folder = options.memory ? undefined : dataFolder(root);
  const fingerprint = hash([raw, { ...source.settings, environment: undefined }]);
  const { codeActions } = options;
  const cache = options.memory && !reused ? options.tableCache : undefined;
  const cached = cache?.get(fingerprint);
  // a new database in memory has no record of earlier checks, so that the files are checked before it is created
  if (options.memory && !reused && !cached) checkFiles(source, report);
  const file = folder === undefined ? undefined : join(folder, "content.db");
  const hasCode = codeActions !== undefined;
  const storage = reused?.storage ?? (cached ? storageFromSnapshot(cached, hasCode) : openStorage(file, hasCode));
  if (file !== undefined) offerLongReads(storage, file, options);
  const transactions =
    reused?.transactions ??
    (codeActions && openAsyncTransactions(storage, file, adjustedSettings.galley.code?.hookTimeout));
  const settings = withStoredAuth(adjustedSettings, storage);
  try {
    const checkedFingerprint = storage.meta("checked");
    if (options.prepared && checkedFingerprint !== fingerprint)
      throw new ProjectError(root, undefined, "its database is ahead of this process");
    const isUnchanged = checkedFingerprint === fingerprint;
    if ((!options.memory || reused) && !isUnchanged) checkFiles(source, report);
    const warnings = isUnchanged ? storedWarnings(storage) : report.warnings;
    const { galley } = settings;
    const model = modelOf(source);
    const webhooks = new ProjectWebhooks(storage, settings, options);
    const context = createContext(storage, model, settings, transactions, options.reproducible, webhooks);
    const secrets = reused?.secrets ?? loadSecrets(folder, settings.environment);
    const tokens = new Tokens(storage, secrets.tokenSalt);
    const changeTables = (): readonly Change[] => {
      // loaded lazily: most starts change nothing
      const { migrate } = require("../storage/migrate.ts") as typeof import("../storage/migrate.ts");
      const previousLocale =
        storage.meta(DEFAULT_LOCALE) ?? galley.locales?.find(({ isDefault }) => isDefault)?.code ?? "en";
      const migration = migrate(storage, layoutOf(model), previousLocale, ({ needDrafts, needTargetAttributes }) => {
        if (needTargetAttributes) {
          const { nameMixedLinks } =
            require("../documents/name-mixed-links.ts") as typeof import("../documents/name-mixed-links.ts");
          nameMixedLinks(context);
        }
        if (needDrafts.length === 0) return;
        const { completeDrafts } =
          require("../documents/complete-drafts.ts") as typeof import("../documents/complete-drafts.ts");
        completeDrafts(context, needDrafts, { relinksExisting: true });
      });
      storage.setMeta("checked", fingerprint);
      storage.setMeta(WARNINGS, JSON.stringify(warnings));
      return migration.changes;
    };
    // in one transaction, so that the stored fingerprint always matches the tables, and an error changes nothing
    const apply = () => {
      const changes = isUnchanged ? loadWithoutChanges(storage) : storage.transaction(changeTables);
      if (!isUnchanged) cache?.set(fingerprint, storage.snapshot());
      return { changes, ready: applyIfChanged(root, context, settings, tokens, secrets, codeActions) };
    };
    const { changes, ready } = options.prepared
      ? { changes: loadWithoutChanges(storage), ready: Promise.resolve() }
      : isUnchanged || cache
        ? apply()
        : storage.transaction(apply);
    transactions?.refresh();
    // those who wait for the passwords get the error
    ready.catch(() => {});
    if (options.readOnly) storage.freeze();
    const pluginConfig = pluginConfigOf(root, settings.environment);
    const access = new AccessParts(context, settings, {
      publicRead: options.publicRead,
      folder,
      secrets,
      tokens,
      ready,
      address: () => settings.server.url || (options.address?.() ?? ""),
      announce: options.announce,
      counter: options.counter,
      passwordRule: () => passwordRuleOf(settings, pluginConfig),
      loadMailProvider: mailProviderOf(root, settings.environment, pluginConfig),
    });
    const isNew = checkedFingerprint === undefined || cached !== undefined;
    const idle = async (): Promise<void> => {
      await Promise.allSettled([ready, access.idle()]);
    };
    const publicFolder = resolve(root, settings.server.publicFolder);
    const uploadsFolder = join(publicFolder, "uploads");
    const uploadsPath = options.memory ? undefined : uploadsFolder;
    const uploads =
      reused && (!uploadsPath || reused.uploads.path === uploadsPath)
        ? reused.uploads
        : new UploadFolder(uploadsPath, folder);
    if (!options.memory && !reused) recoverUploads(uploads, storage);
    let mediaService: MediaService | undefined;
    const media = (): MediaService => {
      if (mediaService) return mediaService;
      const { MediaService } = require("../media/media-service.ts") as typeof import("../media/media-service.ts");
      mediaService = new MediaService(context, settings.upload, uploads);
      return mediaService;
    };
    // a project in memory does not write into the uploads folder, but serves the files in it
    const { publicMaxAge, favicon } = settings.http;
    const files = new PublicFiles({
      publicFolder,
      uploads: () => [...new Set([uploads.path ?? uploadsFolder, uploadsFolder])],
      maxAge: publicMaxAge,
      favicon: {
        paths: [favicon.path, "favicon.png", "favicon.ico"].map((path) => resolve(root, path)),
        maxAge: favicon.maxAge,
      },
    });
    return {
      root,
      settings,
      fileSettings: source.settings,
      reloader: {},
      ended: new AbortController(),
      hasAdmin: options.admin?.(settings) ?? false,
      announce: options.announce,
      isReadOnly: options.readOnly ?? false,
      schema: raw,
      model,
      context,
      access,
      media,
      files,
      uploads,
      secrets,
      webhooks,
      transactions,
      code: undefined,
      fingerprint,
      changes,
      warnings,
      isNew,
      idle,
      close: async () => {
        await idle();
        await webhooks.close();
        uploads.close();
        closeStorage(storage, transactions);
      },
    };
  } catch (error) {
    if (reused) storage.loadNumbers();
    else closeStorage(storage, transactions);
    throw asProjectError(withFile(error, raw), folder ?? root);
  }
}

function offerLongReads(storage: Storage, file: string, { readerCommand, environment }: ProjectOptions): void {
  if (!readerCommand) return;
  storage.createLongReads = () => {
    const { ReaderProcesses } =
      require("./readers/reader-processes.ts") as typeof import("./readers/reader-processes.ts");
    return new ReaderProcesses(file, { command: readerCommand, environment });
  };
}

/** Finishes or undoes changes of files by killed processes. */
function recoverUploads(uploads: UploadFolder, storage: Storage): void {
  if (uploads.owners().size === 0) return;
  const { recover } = require("../media/file-change.ts") as typeof import("../media/file-change.ts");
  recover(uploads, storage);
}

const storedWarnings = (storage: Storage): readonly ProjectProblem[] =>
  JSON.parse(storage.meta(WARNINGS) ?? "[]") as readonly ProjectProblem[];

function loadWithoutChanges(storage: Storage): readonly Change[] {
  storage.loadNumbers();
  return [];
}
