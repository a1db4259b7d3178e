/** The body of a request as code finds it in `ctx.request.body`, and the files of a form in `ctx.request.files`. */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ApiError } from "../../errors.ts";
import { writeNew } from "../../media/disk.ts";
import type { FormPart, HttpTools, Runtime } from "../runtime.ts";
import type { Context } from "./context.ts";

const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

/** Whether bodies of the method are read. */
export const isBodyMethod = (method: string): boolean => WITH_BODY.has(method);

/** Files of forms lie on disk while the request is answered, as Koa's do. */
export interface FormFile {
  readonly filepath: string;
  readonly path: string;
  readonly newFilename: string;
  readonly originalFilename: string;
  readonly name: string;
  readonly mimetype: string;
  readonly type: string;
  readonly size: number;
}

/** Later values of one name make a list. Throws an ApiError for a name that would be the object's prototype. */
function collect(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") throw new ApiError("SyntaxError", "Object contains forbidden prototype property");
  fields[name] = Object.hasOwn(fields, name) ? [fields[name], value].flat() : value;
}

/** Writes a file of a form as it arrives. Throws an ApiError for more than `limit` bytes, and for a full disk. */
async function keepFile(part: FormPart, path: string, limit: number): Promise<FormFile> {
  let size = 0;
  const content = async (write: (bytes: Uint8Array) => Promise<void>): Promise<void> => {
    for await (const chunk of part.stream) {
      size += chunk.length;
      if (size > limit) throw new ApiError("BodyTooLargeError", "request entity too large");
      await write(chunk);
    }
  };
  await writeNew(path, content, { flush: false });
  const originalFilename = basename(part.filename);
  return {
    filepath: path,
    path,
    newFilename: basename(path),
    originalFilename,
    name: originalFilename,
    mimetype: part.type,
    type: part.type,
    size,
  };
}

/** `limit`: bytes of a file. */
async function readForm(ctx: Context, tools: HttpTools, limit: number): Promise<void> {
  const kept: { readonly field: string; file?: FormFile }[] = [];
  let folder: string | undefined;
  const remove = async (): Promise<void> => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    const parts = await tools.readForm(ctx.request.original, async (part) => {
      folder ??= mkdtempSync(join(tmpdir(), "galley-form-"));
      const place: (typeof kept)[number] = { field: part.field };
      kept.push(place);
      place.file = await keepFile(part, join(folder, crypto.randomUUID()), limit);
    });
    const files: Record<string, unknown> = {};
    for (const { field, file } of kept) collect(files, field, file);
    const fields: Record<string, unknown> = {};
    for (const [name, value] of parts) collect(fields, name, value);
    ctx.request.body = fields;
    ctx.request.files = files;
  } catch (error) {
    await remove();
    throw error;
  }
  ctx.response.whenSent(remove);
}

/** Where code finds the text of a body, with which it checks signatures. */
const UNPARSED = Symbol.for("unparsedBody");

const TEXT_TYPES = /^(application\/(\S+\+)?json|application\/(x-www-form-urlencoded|csp-report)|text\/)/i;

/** The body with its text, as `strapi::body` with `includeUnparsed` gives it. */
async function readWithText(ctx: Context, tools: HttpTools, type: string): Promise<void> {
  const { original } = ctx.request;
  const copy = original.clone();
  const body = await tools.readBody(original);
  if (!TEXT_TYPES.test(type)) return;
  ctx.request.body = body || {};
  if (typeof ctx.request.body === "object")
    Object.assign(ctx.request.body as object, { [UNPARSED]: await copy.text() });
}

async function readSentBody(ctx: Context, { tools, settings }: Pick<Runtime, "tools" | "settings">): Promise<void> {
  const { original } = ctx.request;
  const type = original.headers.get("content-type") ?? "";
  if (/^multipart\/form-data/i.test(type)) {
    return readForm(ctx, tools, settings.upload.sizeLimit || Number.POSITIVE_INFINITY);
  }
  if (settings.http.includeUnparsed) return readWithText(ctx, tools, type);
  ctx.request.body = await tools.readBody(original);
}

/** Undefined where there is nothing to wait for. Rejects with ApiErrors for bodies that cannot be read. */
export function readRequestBody(
  ctx: Context,
  services: Pick<Runtime, "tools" | "settings">,
): Promise<void> | undefined {
  if (isBodyMethod(ctx.request.original.method)) return readSentBody(ctx, services);
  ctx.request.body = {};
  return undefined;
}
