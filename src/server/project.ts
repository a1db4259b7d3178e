/** Opens a project folder: configuration, model, database and access, in the order in which they need each other. */
import { join, resolve } from "node:path";
import { DEFAULT_LOCALE } from "../access/default-locale.ts";
import { type AccessParts, createAccess } from "../access/index.ts";
import type { Counter } from "../access/rate-limit.ts";
import { loadSecrets, type Secrets } from "../access/secrets.ts";
import { withStoredAuth } from "../access/stored-auth.ts";
import { Tokens } from "../access/tokens.ts";
import type { Environment } from "../config/env.ts";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import type { Reproducible } from "../documents/reproducible.ts";
import { ProjectError, type ProjectProblem, ProjectReport } from "../errors.ts";
import { MediaService } from "../media/media-service.ts";
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
import { closeStorage, openStorage, storageFromSnapshot, withCode } from "./code-storage.ts";
import { createContext } from "./project-context.ts";
import { checkFiles, dataFolder, hash, modelOf, type ProjectSource, readSource, withFile } from "./project-source.ts";
import type { TableCache } from "./table-cache.ts";

export interface ProjectOptions {
  /** Keep the database in memory; nothing is written below the project. */
  readonly memory: boolean;
  /** Where a database in memory gets the tables from that the same files needed before; nowhere by default. */
  readonly tableCache?: TableCache | undefined;
  /** Everybody may read every content-type. */
  readonly publicRead: boolean;
  /** Whether the admin's routes are served; they are not by default. */
  readonly admin?: (settings: Settings) => boolean;
  readonly environment: Environment;
  /** Where the server is reached; for links in mails. */
  readonly address?: () => string;
  /** Prints a line for the person at the command line. */
  readonly announce?: (line: string) => void;
  /**
   * What another process has read, checked and applied to the database: this one reads no files, and changes nothing
   * in the database while it opens the project.
   */
  readonly prepared?: () => ProjectSource;
  /** Settings of this start in the place of those of the files. */
  readonly adjust?: (settings: Settings) => Settings;
  /** Times and ids of tests; those of the system by default. */
  readonly reproducible?: Reproducible | undefined;
  /** Requests change nothing; false. */
  readonly readOnly?: boolean;
  /** What is served in the place of the project's files. */
  readonly source?: () => ProjectSource;
  /** The command that starts a process for reads that take long; they block this one by default. */
  readonly readerCommand?: readonly string[];
  /** Where requests to routes that guess are counted; this process by default. */
  readonly counter?: Counter;
  /** The actions of the project's own code, where that is loaded to run. */
  readonly codeActions?: readonly string[];
}

/** Serves the project's files as they are now. */
export interface Reloader {
  /** Resolves with what keeps the files from being served. */
  reload?: () => Promise<Error | undefined>;
}

export interface Project {
  readonly root: string;
  readonly settings: Settings;
  /** Without what is stored with the content, and so without a database. */
  readonly fileSettings: Settings;
  readonly hasAdmin: boolean;
  /** Prints a line for the person at the command line; undefined where there is none. */
  readonly announce: ((line: string) => void) | undefined;
  /** Requests change nothing. */
  readonly isReadOnly: boolean;
  /** Set while the project's files are what is served, and this process may change them. */
  readonly reloader: Reloader;
  /** Aborted when it is served no longer, or another one in its place: ends answers that go on until then. */
  readonly ended: AbortController;
  /** As its files declare it. */
  readonly schema: RawSchema;
  readonly model: Model;
  readonly context: DocumentsContext;
  readonly access: AccessParts;
  readonly media: MediaService;
  readonly files: PublicFiles;
  readonly uploads: UploadFolder;
  readonly secrets: Secrets;
  /** Writes that wait for the project's own code; undefined where none runs. */
  readonly transactions: AsyncTransactions | undefined;
  /** The project's own code, once it runs. */
  readonly code: ProjectCode | undefined;
  /** The same as long as the files that the project is made of say the same. */
  readonly fingerprint: string;
  /** What the schema changed in the database since the last start. */
  readonly changes: readonly Change[];
  /** What is served in another way than the files say. */
  readonly warnings: readonly ProjectProblem[];
  /** Nothing was in the database before. */
  readonly isNew: boolean;
  /** Fulfilled when nothing goes on behind the answers: passwords of configured users, mails. */
  readonly idle: () => Promise<void>;
  /** Closes the database once nothing goes on. */
  readonly close: () => Promise<void>;
}

/** What a project that is opened again keeps. */
export interface Kept {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly uploads: UploadFolder;
  readonly transactions?: AsyncTransactions | undefined;
}

/** Warnings are remembered with the mark of the files that they are about. */
const WARNINGS = "warnings";

/** Whether the files need other tables than the database has. False also for files that cannot be served. */
export function needsOtherTables(root: string, options: ProjectOptions, storage: Storage): boolean {
  try {
    const report = new ProjectReport();
    const source = readSource(root, options.environment, report);
    checkFiles(source, report);
    return !hasLayout(storage, layoutOf(modelOf(source)));
  } catch {
    // this is reported when the files are opened
    return false;
  }
}

/**
 * Throws a ProjectError for files that cannot be served; the database is as it was then. `kept` is of the
 * project as it is served already.
 */
export function openProject(root: string, options: ProjectOptions, kept?: Kept): Project {
  const report = new ProjectReport();
  const source = options.prepared?.() ?? options.source?.() ?? readSource(root, options.environment, report);
  const { schema: raw } = source;
  const fromFiles = options.adjust?.(source.settings) ?? source.settings;
  const folder = options.memory ? undefined : dataFolder(root);
  const fingerprint = hash([raw, { ...source.settings, environment: undefined }]);
  const { codeActions } = options;
  const cache = options.memory && !kept ? options.tableCache : undefined;
  const cached = cache?.find(fingerprint);
  // a database in memory remembers nothing, so that the files are checked before there is one
  if (options.memory && !kept && !cached) checkFiles(source, report);
  const file = folder === undefined ? undefined : join(folder, "content.db");
  const hasCode = codeActions !== undefined;
  const storage = kept?.storage ?? (cached ? storageFromSnapshot(cached, hasCode) : openStorage(file, hasCode));
  if (file !== undefined) offerLongReads(storage, file, options);
  const transactions =
    kept?.transactions ?? (codeActions && withCode(storage, file, fromFiles.galley.code?.hookTimeout));
  const settings = withStoredAuth(fromFiles, storage);
  try {
    const known = storage.meta("checked");
    if (options.prepared && known !== fingerprint)
      throw new ProjectError(root, undefined, "its database is ahead of this process");
    const isUnchanged = known === fingerprint;
    if ((!options.memory || kept) && !isUnchanged) checkFiles(source, report);
    const warnings = isUnchanged ? rememberedWarnings(storage) : report.warnings;
    const { galley } = settings;
    const model = modelOf(source);
    const context = createContext(storage, model, settings, transactions, options.reproducible);
    const secrets = kept?.secrets ?? loadSecrets(folder, settings.environment);
    const tokens = new Tokens(storage, secrets.tokenSalt);
    const changeTables = (): readonly Change[] => {
      // most starts change nothing
      const { migrate } = require("../storage/migrate.ts") as typeof import("../storage/migrate.ts");
      const before = storage.meta(DEFAULT_LOCALE) ?? galley.locales?.find(({ isDefault }) => isDefault)?.code ?? "en";
      const done = migrate(storage, layoutOf(model), before, ({ needDrafts, needTargetAttributes }) => {
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
      return done.changes;
    };
    // together, so that the mark never stands for other tables than there are, and what cannot be applied changes nothing
    const apply = () => {
      const changes = isUnchanged ? adopt(storage) : storage.transaction(changeTables);
      if (!isUnchanged) cache?.keep(fingerprint, storage.snapshot());
      return { changes, ready: applyIfChanged(root, context, settings, tokens, secrets, codeActions) };
    };
    const { changes, ready } = options.prepared
      ? { changes: adopt(storage), ready: Promise.resolve() }
      : isUnchanged || cache
        ? apply()
        : storage.transaction(apply);
    transactions?.refresh();
    // whoever needs the passwords sees the error
    ready.catch(() => {});
    if (options.readOnly) storage.freeze();
    const access = createAccess(context, settings, {
      publicRead: options.publicRead,
      folder,
      secrets,
      tokens,
      ready,
      address: () => settings.server.url || (options.address?.() ?? ""),
      announce: options.announce,
      counter: options.counter,
    });
    const isNew = known === undefined || cached !== undefined;
    const idle = async (): Promise<void> => {
      await Promise.allSettled([ready, access.auth.idle()]);
    };
    const publicFolder = resolve(root, settings.server.publicFolder);
    const lasting = join(publicFolder, "uploads");
    const place = options.memory ? undefined : lasting;
    const uploads = kept && (!place || kept.uploads.path === place) ? kept.uploads : new UploadFolder(place, folder);
    const media = new MediaService(context, settings.upload, uploads);
    if (!options.memory && !kept) media.recover();
    // in memory nothing is written below the project, but what lies there is served
    const files = new PublicFiles(publicFolder, () => [...new Set([uploads.path ?? lasting, lasting])]);
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
      transactions,
      code: undefined,
      fingerprint,
      changes,
      warnings,
      isNew,
      idle,
      close: async () => {
        await idle();
        uploads.close();
        closeStorage(storage, transactions);
      },
    };
  } catch (error) {
    if (kept) storage.loadNumbers();
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

const rememberedWarnings = (storage: Storage): readonly ProjectProblem[] =>
  JSON.parse(storage.meta(WARNINGS) ?? "[]") as readonly ProjectProblem[];

function adopt(storage: Storage): readonly Change[] {
  storage.loadNumbers();
  return [];
}
