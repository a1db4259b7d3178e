/** The upload plugin of a project with code: its services, its provider, and the code's part in uploads over HTTP. */
import { LOCAL, providerFile } from "../../engine/config/providers.ts";
import type { FileServices } from "../../engine/media/file-services.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { type Attribute, contentType, findTarget, type Schema } from "../../engine/schema/model.ts";
import { listsEntries } from "../../engine/webhooks/entry-events.ts";
import { isRecord, toRecord, type Values } from "../../lib/is-record.ts";
import type { DocumentMiddleware } from "../data/documents.ts";
import type { Limit } from "../lib/deadlines.ts";
import type { Members, PluginView } from "../loader/plugin.ts";
import type { Registries } from "../loader/registry.ts";
import { type CalledMembers, ReplacedMembers } from "../loader/replaced-members.ts";
import type { CodeConfig } from "../members/config.ts";
import type { RowAction } from "../rows/row-hooks.ts";
import type { Runtime } from "../runtime.ts";
import { codeFiles } from "./code-files.ts";
import { fileService } from "./file-service.ts";
import { FileWorks } from "./file-works.ts";
import { folderServices } from "./folder-service.ts";
import { imageService } from "./image-service.ts";
import { loadProvider, localProvider, type ProviderConfig, providerService } from "./provider.ts";
import type { Call, UploadParts, UploadProvider } from "./upload-parts.ts";
import { uploadService } from "./upload-service.ts";

/** Signs the URLs of files in results of all actions, except for counts: for private providers. */
function signDocuments(parts: UploadParts): DocumentMiddleware {
  const { model } = parts.runtime().raw;
  const sign = (file: unknown): Promise<unknown> => parts.service("file")("signFileUrls", file);

  async function signInside(attribute: Attribute, value: unknown): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((item) => signInside(attribute, item)));
    if (!isRecord(value)) return value;
    if (attribute.kind === "media") return sign(value);
    const uid = value.__component ?? value.__type;
    const target = typeof uid === "string" ? (model.components.get(uid) ?? model.types.get(uid)) : undefined;
    const schema = target ?? findTarget(model, attribute);
    return schema ? signEntry(schema, value) : value;
  }

  async function signEntry(schema: Schema, entry: Values): Promise<unknown> {
    if (schema.uid === FILE) return sign(entry);
    const signed: Values = { ...entry };
    for (const [name, value] of Object.entries(entry)) {
      const attribute = schema.attributes.get(name);
      if (attribute && attribute.kind !== "scalar") signed[name] = await signInside(attribute, value);
    }
    return signed;
  }

  return async ({ uid, action }, next) => {
    const result = await next();
    const type = contentType(model, uid);
    const signAll = (entries: readonly unknown[]): Promise<unknown[]> =>
      Promise.all(entries.map((entry) => (isRecord(entry) ? signEntry(type, entry) : entry)));
    if (Array.isArray(result)) return signAll(result);
    if (!isRecord(result) || action === "count") return result;
    if (listsEntries(action) && Array.isArray(result.entries))
      return { ...result, entries: await signAll(result.entries) };
    return signEntry(type, result);
  };
}

/** Members that uploads, changes and deletions over HTTP call. */
const CALLED: CalledMembers = {
  upload: ["upload", "updateFileInfo", "replace", "remove", "findOne", "findMany", "findAndCountPage", "getSettings"],
  provider: ["checkFileSize", "upload", "replace"],
  "image-manipulation": [
    "isImage",
    "isFaultyImage",
    "isOptimizableImage",
    "isResizableImage",
    "optimize",
    "getDimensions",
    "generateThumbnail",
    "generateResponsiveFormats",
    "generateFileName",
  ],
  file: ["getFolderPath", "signFileUrls", "deleteByIds"],
  folder: ["deleteByIds"],
  "api-upload-folder": ["getAPIUploadFolder"],
};

/** Services whose members are steps of storing a file. */
const STEPS = ["provider", "image-manipulation"];
const STEP_MEMBERS = ["file.getFolderPath", "upload.getSettings"];

const WRITES = ["create", "update", "delete"] as const;
const READS = ["findOne", "findMany"] as const;

export interface UploadsOptions {
  readonly runtime: () => Runtime;
  readonly registries: Registries;
  readonly config: CodeConfig;
  /** For storing or removing a file. */
  readonly limit: Limit;
}

/** Calls members of an object. */
const createCall =
  (owner: string, members: () => unknown): Call =>
  async (member, ...args) => {
    const object = toRecord(members());
    const method = object[member];
    if (typeof method !== "function") throw new TypeError(`${owner}.${member} is not a function`);
    return method.apply(object, args);
  };

export class Uploads {
  readonly #options: UploadsOptions;
  readonly #parts: UploadParts;
  #isPrivate = false;
  readonly #files: FileServices;
  readonly services: Members;
  #replaced: ReplacedMembers | undefined;
  #view: (PluginView & { provider?: UploadProvider }) | undefined;
  /** The upload folder, as it was before code could change its members. */
  #local: UploadProvider = {};
  #providerName: unknown = LOCAL;

  constructor(options: UploadsOptions) {
    const { runtime, registries } = options;
    this.#options = options;
    const works = new FileWorks({
      folder: () => runtime().media().uploadFolder,
      // marks are read by the process that recovers, outside of the code's transactions
      storage: () => runtime().context.storage,
      transactions: () => runtime().transactions,
      limit: options.limit,
      onError: (error) => runtime().log.error(error),
    });
    let media: UploadParts["media"] extends () => infer T ? T | undefined : never;
    this.#parts = {
      runtime,
      media: () => {
        media ??= runtime().media().own;
        return media;
      },
      works,
      service: (name) => createCall(`plugin::upload.${name}`, () => registries.services.get(`plugin::upload.${name}`)),
      provider: () => this.#view?.provider ?? {},
      callProvider: createCall("provider", () => this.#view?.provider),
      providerName: () => this.#providerName,
      replaces: (member) => this.#replaced?.has(member) ?? false,
      hasOwnSteps: () => this.#hasOwnSteps,
      listens: (action) => this.#listens(action),
    };
    this.#files = codeFiles(this.#parts, () => this.#isPrivate);
    const upload = uploadService(this.#parts);
    const provider = providerService(this.#parts);
    this.services = {
      upload: () => upload,
      provider: () => provider,
      "image-manipulation": imageService(this.#parts),
      file: fileService(this.#parts),
      ...folderServices(this.#parts),
    };
  }

  /** Remembers the services before extensions change them. `services`: those of the plugin. */
  watch(services: Members, strapi: object): void {
    this.#replaced = new ReplacedMembers("upload", CALLED, services, this.#options.registries, strapi);
  }

  /** Sets `strapi.plugin("upload").provider`. Throws the errors of a provider. */
  open(view: PluginView): void {
    const { runtime, config } = this.#options;
    const local = localProvider(() => runtime().media().uploadFolder, this.#parts.works);
    this.#local = { ...local };
    this.#view = Object.assign(view, { provider: local });
    const settings = toRecord(config.get("plugin::upload")) as Record<string, unknown> & ProviderConfig;
    if (runtime().settings.galley.upload?.provider === LOCAL) return;
    const file = providerFile(runtime().root, "upload", settings.provider);
    if (file === undefined) return;
    this.#view.provider = loadProvider(file, settings);
    this.#providerName = settings.provider;
  }

  /** Files of a private provider have signed URLs in documents. */
  async signDocuments(): Promise<void> {
    this.#isPrivate = Boolean(await this.#parts.works.limited(() => this.#parts.callProvider("isPrivate")));
    if (this.#isPrivate) this.#options.runtime().documents.use(signDocuments(this.#parts));
  }

  #listens(action: RowAction): boolean {
    const { lifecycles, raw } = this.#options.runtime();
    return lifecycles.listens(contentType(raw.model, FILE), action);
  }

  get #hasOwnSteps(): boolean {
    return (
      this.#providerName !== LOCAL ||
      Object.keys({ ...this.#local, ...this.#view?.provider }).some(
        (name) => this.#view?.provider?.[name] !== this.#local[name],
      ) ||
      WRITES.some((action) => this.#listens(action)) ||
      (this.#replaced?.hasCalled(STEPS) ?? false) ||
      STEP_MEMBERS.some((member) => this.#replaced?.has(member))
    );
  }

  /** Undefined if the server stores, deletes and reads files without the code. */
  get files(): FileServices | undefined {
    const takesPart = this.#hasOwnSteps || this.#replaced?.hasCalled() || READS.some((action) => this.#listens(action));
    return takesPart ? this.#files : undefined;
  }

  /** Replaced members that requests do not call. Throws what a service of the code throws. */
  get uncalled(): string[] {
    return this.#replaced?.uncalled ?? [];
  }
}
