/** Reads multipart bodies as streams: fields are collected, files are passed on. */
import type { Readable } from "node:stream";
import type busboy from "busboy";
import { ApiError } from "../../errors.ts";

/** A file part. Its stream must be consumed, or reading of the body stalls. */
export interface FilePart {
  readonly field: string;
  /** As sent; empty if missing. */
  readonly filename: string;
  /** The declared type with its parameters; empty if missing. */
  readonly type: string;
  readonly stream: Readable;
}

/** Fields in the order of the body; names may repeat. */
export type Fields = readonly (readonly [name: string, value: string])[];

const limits = { fields: 1000, fieldSize: 1_048_576, parts: 2000, headerPairs: 100 } as const;
/** Of all fields together, in characters. */
const MAX_FIELDS_LENGTH = 4_000_000;

interface HeaderParser {
  cb: (header: Readonly<Record<string, readonly string[]>>) => void;
}

/** Returns the content type of the current part: busboy removes its parameters. */
function watchTypes(parser: busboy.Busboy): () => string {
  let type = "";
  let current: HeaderParser | null = null;
  let watched: HeaderParser | undefined;
  Object.defineProperty(parser, "_hparser", {
    get: () => current,
    set: (headers: HeaderParser | null) => {
      current = headers;
      if (!headers || headers === watched) return;
      watched = headers;
      const announce = headers.cb;
      headers.cb = (header) => {
        type = header["content-type"]?.[0] ?? "";
        announce(header);
      };
    },
  });
  return () => type;
}

/**
 * Resolves with the fields when all files have been consumed. Without `onFile`, files are discarded. Throws a BadRequestError
 * for a malformed body, and the errors of `onFile`, but only after every call of `onFile` has ended.
 */
export async function readMultipart(request: Request, onFile?: (file: FilePart) => Promise<void>): Promise<Fields> {
  const create = require("busboy") as typeof busboy;
  let parser: busboy.Busboy;
  try {
    parser = create({
      headers: { "content-type": request.headers.get("content-type") ?? "" },
      limits,
      // the next file is read after the last one was consumed
      fileHwm: 1,
      defParamCharset: "utf8",
      preservePath: true,
    });
  } catch (cause) {
    throw new ApiError("BadRequestError", (cause as Error).message);
  }
  const typeOf = watchTypes(parser);
  const fields: [string, string][] = [];
  let length = 0;
  const files: Promise<void>[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { Readable: NodeReadable } = require("node:stream") as typeof import("node:stream");
  const source = request.body ? NodeReadable.fromWeb(request.body as never) : NodeReadable.from([]);
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    if (failure) return;
    failure = { error };
    source.unpipe(parser);
    source.resume();
    reject(error);
    // also ends the current file
    parser.destroy();
  };
  const tooMany = (what: string, limit: number) => () =>
    fail(new ApiError("BodyTooLargeError", `at most ${limit} ${what} are read`));
  parser.on("field", (name, value, { valueTruncated }) => {
    length += value.length;
    if (valueTruncated || length > MAX_FIELDS_LENGTH)
      fail(new ApiError("BodyTooLargeError", "request entity too large"));
    else fields.push([name, value]);
  });
  parser.on("file", (field, stream, { filename }) => {
    // a truncated form ends its file with an error, which the parser reports as well
    stream.on("error", () => {});
    // after an error, the parser continues to the end of the chunk, and never ends a file that begins there
    if (failure) return void stream.destroy();
    if (!onFile) return void stream.resume();
    const taken = onFile({ field: field ?? "", filename: filename ?? "", type: typeOf(), stream }).catch(
      (error: unknown) => {
        const isBroken = error instanceof Error && (error === stream.errored || error.name === "AbortError");
        fail(isBroken ? new ApiError("BadRequestError", error.message) : error);
        stream.resume();
      },
    );
    files.push(taken);
  });
  parser.on("fieldsLimit", tooMany("fields", limits.fields));
  parser.on("partsLimit", tooMany("parts", limits.parts));
  parser.on("error", (cause) => fail(new ApiError("BadRequestError", (cause as Error).message)));
  parser.on("close", () => resolve());
  const breakOff = (): void => fail(new ApiError("BadRequestError", "The body ended before its end"));
  source.on("error", breakOff);
  request.signal.addEventListener("abort", breakOff);
  source.pipe(parser);
  try {
    await promise;
  } finally {
    request.signal.removeEventListener("abort", breakOff);
    await Promise.all(files);
  }
  // the last file may fail after the body was read
  if (failure) throw failure.error;
  return fields;
}
