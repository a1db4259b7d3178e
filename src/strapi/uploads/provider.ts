/** `strapi.plugin("upload").provider`: the upload folder, or the package of `config/plugins`. */
import { rmSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { LOCAL, loadInit } from "../../engine/config/providers.ts";
import { writeNew } from "../../engine/media/disk.ts";
import { checkSize } from "../../engine/media/sizes.ts";
import type { UploadFolder } from "../../engine/media/upload-folder.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import type { Members } from "../loader/plugin.ts";
import { strapiError } from "../packages/utils.ts";
import type { FileWorks } from "./file-works.ts";
import { openStream, type UploadFile, type UploadParts, type UploadProvider } from "./upload-parts.ts";

type Method = (...args: readonly unknown[]) => unknown;

/** The configuration of the upload plugin, `config` in `config/plugins`. */
export interface ProviderConfig {
  readonly provider: unknown;
  readonly providerOptions?: unknown;
  readonly actionOptions?: unknown;
}

const KILOBYTE = 1000;

/** Members of every provider. */
const base: UploadProvider = {
  extend(this: UploadProvider, members: object) {
    Object.assign(this, members);
  },
  checkFileSize(file: UploadFile, { sizeLimit }: { sizeLimit?: number }) {
    if (sizeLimit && Number(file.size) * KILOBYTE > sizeLimit)
      refuseSize(String(file.originalFilename), file, sizeLimit);
  },
  getSignedUrl: (file: UploadFile) => file,
  isPrivate: () => false,
};

function refuseSize(name: string, { size }: UploadFile, limit: number): void {
  try {
    checkSize(name, Number(size) * KILOBYTE, limit);
  } catch (error) {
    throw strapiError("PayloadTooLargeError", (error as Error).message);
  }
}

/** As in Strapi, each method gets its `actionOptions` unless it is called with options. */
function wrap(provider: Readonly<Record<string, unknown>>, actionOptions: unknown): UploadProvider {
  const options = toRecord(actionOptions);
  const methods = Object.keys(provider).map((name) => [
    name,
    async (file: unknown, own: unknown = options[name]) => (provider[name] as Method)(file, own),
  ]);
  return Object.assign(Object.create(base), Object.fromEntries(methods));
}

const diskName = ({ hash, ext }: UploadFile): string => `${hash}${ext ?? ""}`;

/** Stores files in the upload folder. */
export function localProvider(folder: () => UploadFolder, works: FileWorks): UploadProvider {
  const put = (file: UploadFile, write: (path: string) => Promise<void>): Promise<void> =>
    works.run(async (work) => {
      const path = folder().unfinishedFile(".part");
      try {
        await write(path);
        work.put(diskName(file), path);
      } finally {
        // moved, unless something has failed
        rmSync(path, { force: true });
      }
      file.url = `/uploads/${diskName(file)}`;
    });
  const missing = (what: string) => new Error(`Missing file ${what}`);
  const uploadStream = async (file: UploadFile): Promise<void> => {
    const { stream } = file;
    if (!stream) throw missing("stream");
    await put(file, (path) =>
      writeNew(path, async (write) => {
        for await (const chunk of stream as AsyncIterable<Uint8Array>) await write(chunk);
      }),
    );
  };
  const upload = async (file: UploadFile): Promise<void> => {
    const { buffer } = file;
    if (!buffer) throw missing("buffer");
    await put(file, (path) => writeNew(path, (write) => write(buffer as Uint8Array)));
  };
  const remove = (file: UploadFile): Promise<void> => works.run(async (work) => work.drop(diskName(file)));
  const replaceBy =
    (store: (file: UploadFile) => Promise<void>) =>
    async (file: UploadFile, old: UploadFile): Promise<void> => {
      await store(file);
      if (diskName(file) !== diskName(old)) await remove(old);
    };
  const checkFileSize = (file: UploadFile, options: unknown): void => {
    const { sizeLimit } = toRecord(options);
    if (typeof sizeLimit === "number" && sizeLimit > 0) refuseSize(String(file.name), file, sizeLimit);
  };
  return wrap(
    {
      checkFileSize,
      uploadStream,
      upload,
      replaceStream: replaceBy(uploadStream),
      replace: replaceBy(upload),
      delete: remove,
    },
    undefined,
  );
}

/** Loads and initialises a provider. Throws its errors, and for one that cannot upload or delete. */
export function loadProvider(
  file: string,
  { provider: name, providerOptions, actionOptions }: ProviderConfig,
): UploadProvider {
  const provider = loadInit(file, "upload", name)(providerOptions);
  const missing = (what: string) => new Error(`The upload provider "${name}" doesn't implement ${what}.`);
  if (!isRecord(provider) || !provider.delete) throw missing("the delete method");
  if (!provider.upload && !provider.uploadStream) throw missing("the uploadStream nor the upload method");
  return wrap(provider, actionOptions);
}

/** The service `provider`: calls the provider with a stream, or with the whole content if it takes no stream. */
export function providerService(parts: UploadParts): Members {
  const call = parts.callProvider;
  const has = (name: string): boolean => typeof parts.provider()[name] === "function";

  /** Calls the method that takes a stream, or else the other one. */
  async function send(file: UploadFile, streaming: string, buffering: string, ...rest: unknown[]): Promise<void> {
    const [key, method] = has(streaming) ? (["stream", streaming] as const) : (["buffer", buffering] as const);
    file[key] = key === "stream" ? openStream(file) : await buffer(openStream(file));
    await call(method, file, ...rest);
    delete file[key];
    delete file.filepath;
  }

  /** What another provider has stored is removed again if the upload fails later. The upload folder undoes its own changes. */
  const removeOnFailure = (file: UploadFile): void => {
    if (parts.providerName() === LOCAL) return;
    const stored = { ...file };
    parts.works.current?.onUndo(() => call("delete", stored));
  };

  return {
    checkFileSize: async (file: UploadFile) => {
      const { sizeLimit } = parts.runtime().settings.upload;
      await call("checkFileSize", file, { sizeLimit });
    },
    upload: async (file: UploadFile) => {
      await send(file, "uploadStream", "upload");
      removeOnFailure(file);
    },
    async replace(this: { upload: (file: UploadFile) => Promise<void> }, file: UploadFile, old: UploadFile) {
      if (has("replaceStream") || has("replace")) return send(file, "replaceStream", "replace", old);
      await call("delete", old);
      await this.upload(file);
    },
  };
}
