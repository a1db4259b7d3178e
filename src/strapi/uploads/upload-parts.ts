/** What the upload services share: each calls the others as they are now, since code may have replaced them. */

import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import type { MediaService } from "../../engine/media/media-service.ts";
import { toRecord } from "../../lib/is-record.ts";
import type { RowAction } from "../rows/row-hooks.ts";
import type { Runtime } from "../runtime.ts";
import type { FileWorks } from "./file-works.ts";

/** A file on its way to a record. Services and providers change it. */
export type UploadFile = Record<string, unknown>;

/** Methods by name. */
export type UploadProvider = Record<string, unknown>;

export type Call = (member: string, ...args: readonly unknown[]) => Promise<unknown>;

export interface UploadParts {
  readonly runtime: () => Runtime;
  /** The media library, without the code's part. */
  readonly media: () => MediaService;
  readonly works: FileWorks;
  /** Calls a member of a service as it is now. Rejects with a TypeError if there is none. */
  readonly service: (name: string) => Call;
  /** `strapi.plugin("upload").provider`. */
  readonly provider: () => UploadProvider;
  readonly callProvider: Call;
  /** The configured name, which records contain. */
  readonly providerName: () => unknown;
  /** Whether the code has replaced a member of a service, such as `upload.remove`. */
  readonly replaces: (member: string) => boolean;
  /** Whether steps of an upload are not the server's own, so that they must be called one by one. */
  readonly hasOwnSteps: () => boolean;
  /** Whether hooks of files listen to an action. */
  readonly listens: (action: RowAction) => boolean;
}

const paths = new WeakMap<object, string>();

/** A `getStream` for a file on disk. */
export function createStream(path: string): () => Readable {
  const getStream = (): Readable => createReadStream(path);
  paths.set(getStream, path);
  return getStream;
}

/** The content of a file on disk; undefined if it is only a stream. */
export function findPath({ filepath, getStream }: UploadFile): string | undefined {
  if (typeof filepath === "string") return filepath;
  return typeof getStream === "function" ? paths.get(getStream) : undefined;
}

/** Opens the content of a file. Throws if there is none. */
export function openStream(file: UploadFile): AsyncIterable<Uint8Array> {
  if (typeof file.getStream !== "function") throw new TypeError("file.getStream is not a function");
  return file.getStream() as AsyncIterable<Uint8Array>;
}

export const firstText = (...values: readonly unknown[]): string =>
  String(values.find((value) => typeof value === "string" && value !== "") ?? "");

/** The scaled copies of a file by their keys. */
export const readFormats = (file: Readonly<Record<string, unknown>>): Record<string, UploadFile> =>
  toRecord(file.formats) as Record<string, UploadFile>;
