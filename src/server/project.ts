/** Opens a project folder: configuration, model, database and access, in the order in which they need each other. */
import { join, resolve } from "node:path";
import { Access } from "../access/access.ts";
import { actionNames } from "../access/action-names.ts";
import { applyAccess, DEFAULT_LOCALE } from "../access/apply.ts";
import { loadSecrets } from "../access/secrets.ts";
import { Tokens } from "../access/tokens.ts";
import type { Environment } from "../config/env.ts";
import { loadSettings, type Settings } from "../config/settings.ts";
import { completeDrafts } from "../documents/complete-drafts.ts";
import { Clock, type DocumentsContext } from "../documents/context.ts";
import { MediaService } from "../media/media-service.ts";
import { PublicFiles } from "../media/public-files.ts";
import { UploadFolder } from "../media/upload-folder.ts";
import type { RawSchema } from "../schema/definition.ts";
import { loadSchema } from "../schema/load.ts";
import type { Model } from "../schema/model.ts";
import { resolveModel } from "../schema/resolve.ts";
import { layoutOf } from "../storage/layout.ts";
import { type Change, migrate } from "../storage/migrate.ts";
import { Storage } from "../storage/storage.ts";

export interface ProjectOptions {
  /** Keep the database in memory; nothing is written below the project. */
  readonly memory: boolean;
  /** Everybody may read every content-type. */
  readonly publicRead: boolean;
  readonly environment: Environment;
}

export interface Project {
  readonly root: string;
  readonly settings: Settings;
  readonly model: Model;
  readonly context: DocumentsContext;
  readonly access: Access;
  readonly media: MediaService;
  readonly files: PublicFiles;
  /** What the schema changed in the database since the last start. */
  readonly changes: readonly Change[];
  /** Nothing was in the database before. */
  readonly isNew: boolean;
  /** Fulfilled when the configured users have their passwords. */
  readonly ready: Promise<void>;
  close(): void;
}

export const dataFolder = (root: string): string => join(root, ".galley");

/** Bumped when Galley itself starts to check or apply files in another way. */
const RULES = 1;
const hash = (value: unknown): string => Bun.hash(JSON.stringify([RULES, value])).toString(36);

/** Files that are as they were at the last start have been checked before. */
function checkFiles(raw: RawSchema, settings: Settings): void {
  const { checkGalleyFile } = require("../config/galley-file.ts") as typeof import("../config/galley-file.ts");
  const { checkSchema } = require("../schema/check.ts") as typeof import("../schema/check.ts");
  checkGalleyFile(settings.galley, "config/galley.json");
  checkSchema(raw, settings.galley.customFields ?? {});
}

/** Throws a ProjectError for files that cannot be served; the database is as it was then. */
export function openProject(root: string, options: ProjectOptions): Project {
  const settings = loadSettings(root, options.environment);
  const raw = loadSchema(root);
  const folder = options.memory ? undefined : dataFolder(root);
  const fingerprint = hash([raw, settings.galley, settings.privateAttributes]);
  let storage: Storage | undefined;
  // without a database there is nobody to ask whether the files were checked before
  if (options.memory) checkFiles(raw, settings);
  try {
    storage = Storage.open(folder === undefined ? ":memory:" : join(folder, "content.db"));
    const known = storage.meta("checked");
    if (!options.memory && known !== fingerprint) checkFiles(raw, settings);
    const model = resolveModel(raw, {
      privateAttributes: settings.privateAttributes,
      customFields: settings.galley.customFields ?? {},
    });
    const context = createContext(storage, model, settings);
    const before =
      storage.meta(DEFAULT_LOCALE) ?? settings.galley.locales?.find(({ isDefault }) => isDefault)?.code ?? "en";
    const { changes } = migrate(storage, layoutOf(model), before, ({ needDrafts }) =>
      completeDrafts(context, needDrafts),
    );
    const tokens = new Tokens(storage, loadSecrets(folder, options.environment).tokenSalt);
    const ready = applyIfChanged(context, settings, tokens);
    if (known !== fingerprint) storage.setMeta("checked", fingerprint);
    const access = new Access(context, tokens, { publicRead: options.publicRead });
    const opened = storage;
    const { media, files } = openMedia(root, context, settings, options.memory);
    return {
      root,
      settings,
      model,
      context,
      access,
      media,
      files,
      changes,
      isNew: known === undefined,
      ready,
      close: () => {
        media.close();
        opened.close();
      },
    };
  } catch (error) {
    storage?.close();
    throw error;
  }
}

/** In memory nothing is written below the project, but what lies there is served. */
function openMedia(root: string, context: DocumentsContext, settings: Settings, memory: boolean) {
  const folder = resolve(root, settings.server.publicFolder);
  const lasting = join(folder, "uploads");
  const uploads = new UploadFolder(memory ? undefined : lasting);
  const media = new MediaService(context, settings.upload, uploads);
  if (!memory) media.recover();
  const files = new PublicFiles(folder, () => [...new Set([uploads.path ?? lasting, lasting])]);
  return { media, files };
}

function createContext(storage: Storage, model: Model, settings: Settings): DocumentsContext {
  let locale: { version: string; code: string } | undefined;
  return {
    storage,
    model,
    clock: new Clock(),
    strictRelations: settings.strictRelations,
    defaultLocale: () => {
      const version = storage.version();
      if (locale?.version !== version) locale = { version, code: storage.meta(DEFAULT_LOCALE) ?? "en" };
      return locale.code;
    },
  };
}

/** Tokens whose key is in the environment change without a change of the file. */
function applyIfChanged(context: DocumentsContext, settings: Settings, tokens: Tokens): Promise<void> {
  const keys = settings.galley.tokens?.map(({ keyEnv }) => (keyEnv ? settings.environment[keyEnv] : undefined));
  const applied = hash([
    settings.galley,
    actionNames(context.model),
    keys && Bun.hash(JSON.stringify(keys)).toString(36),
  ]);
  if (context.storage.meta("applied") === applied) return Promise.resolve();
  const passwords = applyAccess(context, settings.galley, tokens, settings.environment);
  context.storage.setMeta("applied", applied);
  return passwords;
}
