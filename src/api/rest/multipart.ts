/** Reads multipart bodies as streams: fields are collected, files are passed on. */
import type { Readable, TransformCallback } from "node:stream";
import type busboy from "busboy";
import type { FormSettings } from "../../engine/config/body-settings.ts";
import { parsingTurn } from "../../lib/budget.ts";
import { ApiError, bodyCutShort, bodyTooLarge } from "../../lib/errors.ts";

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

const limits = { parts: 2000, headerPairs: 100 } as const;
/** In bytes. */
const MAX_FIELD_SIZE = 1_048_576;

type PartHeaders = Readonly<Record<string, readonly string[]>>;

interface HeaderParser {
  cb: (header: PartHeaders) => void;
}

const FILENAME = /;\s*filename\*?\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^;]*)/gi;

/** As in Strapi, a part is a file if it has a type, whatever its disposition. For busboy, it is one if it has a file name. */
function withFileName(header: PartHeaders): PartHeaders {
  const [sent, ...others] = header["content-disposition"] ?? [];
  if (sent === undefined) return header;
  const disposition = sent.replace(/^[^;]*/, "form-data");
  const isFile = header["content-type"] !== undefined;
  const isNamed = disposition.search(FILENAME) >= 0;
  if (isFile === isNamed) return { ...header, "content-disposition": [disposition, ...others] };
  const changed = isFile ? `${disposition}; filename="unamed"` : disposition.replace(FILENAME, "");
  return { ...header, "content-disposition": [changed, ...others] };
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
      const originalCallback = headers.cb;
      headers.cb = (header) => {
        type = header["content-type"]?.[0] ?? "";
        originalCallback(withFileName(header));
      };
    },
  });
  return () => type;
}

/** Throws a BadRequestError for a content type without a boundary. */
function createParser(request: Request, { maxFields, maxFieldsSize }: FormSettings): busboy.Busboy {
  const create = require("busboy") as typeof busboy;
  try {
    return create({
      // as in Strapi, every multipart body is a form: some clients send multipart/mixed
      headers: { "content-type": (request.headers.get("content-type") ?? "").replace(/^[^;]*/, "multipart/form-data") },
      limits: { ...limits, fields: maxFields, fieldSize: Math.max(MAX_FIELD_SIZE, maxFieldsSize) },
      // the next file is read after the last one was consumed
      fileHwm: 1,
      defParamCharset: "utf8",
      preservePath: true,
    });
  } catch (cause) {
    throw new ApiError("BadRequestError", (cause as Error).message);
  }
}

/** In bytes: the parser reads a chunk at once, with all its parts. */
const MAX_CHUNK = 16_384;

/** Others are served between chunks, of large ones with many parts, and of many small ones that are there already. */
function inSmallChunks(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        for (let start = 0; start < chunk.length; start += MAX_CHUNK) {
          await parsingTurn();
          controller.enqueue(chunk.subarray(start, start + MAX_CHUNK));
        }
      },
    }),
  );
}

function openBody({ body }: Request): Readable {
  const { Readable: NodeReadable } = require("node:stream") as typeof import("node:stream");
  return body ? NodeReadable.fromWeb(inSmallChunks(body) as never) : NodeReadable.from([]);
}

export interface MultipartOptions {
  /** Undefined: files are discarded. */
  readonly onFile?: (file: FilePart) => Promise<void>;
  readonly forms: FormSettings;
}

/** Parses one body. The first failure ends it. */
function createMultipartReading(parser: busboy.Busboy, source: Readable, { onFile, forms }: MultipartOptions) {
  const fields: [name: string, value: string][] = [];
  let fieldsLength = 0;
  const files: Promise<void>[] = [];
  let failure: { readonly error: unknown } | undefined;
  const parsed = Promise.withResolvers<void>();
  let filesSize = 0;
  /** Listens to the abort signal of the request and to errors of the source. */
  const abort = (): void => fail(bodyCutShort());
  const currentType = watchTypes(parser);
  // busboy has no name for an empty one
  parser.on("field", (name: string | undefined, value, { valueTruncated }) =>
    addField(name ?? "", value, valueTruncated),
  );
  parser.on("file", (field, stream, { filename }) => {
    const file = { field: field ?? "", filename: filename ?? "", type: currentType(), stream: limitSize(stream) };
    take(file, onFile);
  });
  const failOnLimit = (unit: string, limit: number) => () =>
    fail(new ApiError("BodyTooLargeError", `at most ${limit} ${unit} are read`));
  parser.on("fieldsLimit", failOnLimit("fields", forms.maxFields));
  parser.on("partsLimit", failOnLimit("parts", limits.parts));
  parser.on("error", (cause) => fail(new ApiError("BadRequestError", (cause as Error).message)));
  parser.on("close", () => parsed.resolve());
  source.on("error", abort);

  /** Resolves when the body was read and all files were consumed. */
  async function run(): Promise<void> {
    source.pipe(parser);
    try {
      await parsed.promise;
    } finally {
      await Promise.all(files);
    }
    // the last file may fail after the body was read
    if (failure) throw failure.error;
  }

  function fail(error: unknown): void {
    if (failure) return;
    failure = { error };
    source.unpipe(parser);
    source.resume();
    parsed.reject(error);
    // also ends the current file
    parser.destroy();
  }

  function addField(name: string, value: string, isTruncated: boolean): void {
    fieldsLength += Buffer.byteLength(value);
    if (isTruncated || fieldsLength > forms.maxFieldsSize) fail(bodyTooLarge());
    else fields.push([name, value]);
  }

  /** A stream that fails when the files are too large together, or too small. */
  function limitSize(stream: Readable): Readable {
    const { maxFilesSize, minFileSize, allowEmptyFiles } = forms;
    if (maxFilesSize === Number.POSITIVE_INFINITY && minFileSize === 0 && allowEmptyFiles) return stream;
    const { Transform, pipeline } = require("node:stream") as typeof import("node:stream");
    const refuse = (done: TransformCallback, error: ApiError): void => {
      fail(error);
      done(error);
    };
    // of the files up to this one; 0 as well for an empty file
    let size = 0;
    const transform = (chunk: Uint8Array, _encoding: string, done: TransformCallback): void => {
      filesSize += chunk.length;
      size = filesSize;
      if (filesSize <= maxFilesSize) done(null, chunk);
      else refuse(done, new ApiError("PayloadTooLargeError", "FileTooBig"));
    };
    const flush = (done: TransformCallback): void => {
      const isRefused = size === 0 ? !allowEmptyFiles : size < minFileSize;
      if (!isRefused) done();
      else refuse(done, new ApiError("BadRequestError", `Files must have at least ${minFileSize || 1} bytes`));
    };
    return pipeline(stream, new Transform({ transform, flush }), () => {});
  }

  function take(file: FilePart, onFile: ((file: FilePart) => Promise<void>) | undefined): void {
    const { stream } = file;
    // a truncated form ends its file with an error, which the parser reports as well
    stream.on("error", () => {});
    // after an error, the parser continues to the end of the chunk, and never ends a file that begins there
    if (failure) stream.destroy();
    else if (!onFile) stream.resume();
    else {
      const consumed = onFile(file).catch((error: unknown) => {
        const isBroken = error instanceof Error && (error === stream.errored || error.name === "AbortError");
        fail(isBroken ? new ApiError("BadRequestError", error.message) : error);
        stream.resume();
      });
      files.push(consumed);
    }
  }

  return { run, fields, abort };
}

/**
 * Resolves with the fields when all files have been consumed. Throws a BadRequestError for a malformed body, a
 * PayloadTooLargeError for files that are too large, and the errors of `onFile`, but only after every call of `onFile` has ended.
 */
export async function readMultipart(request: Request, options: MultipartOptions): Promise<Fields> {
  // as in Strapi, nothing is a form without fields, also if no boundary is named
  if (request.headers.get("content-length") === "0") return [];
  const reading = createMultipartReading(createParser(request, options.forms), openBody(request), options);
  request.signal.addEventListener("abort", reading.abort);
  try {
    await reading.run();
  } finally {
    request.signal.removeEventListener("abort", reading.abort);
  }
  return reading.fields;
}
