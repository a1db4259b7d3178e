/** Reads the body of a request into `ctx.request.body`, and the files of a form into `ctx.request.files`. */
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { writeNew } from "../../engine/media/disk.ts";
import { createTemporaryFolder, removeTemporaryFolder } from "../../engine/storage/temporary-folder.ts";
import { ApiError, bodyTooLarge } from "../../lib/errors.ts";
import type { Context } from "../koa/koa.ts";
import type { FormPart, HttpTools, Runtime } from "../runtime.ts";
import { FormFile } from "./form-file.ts";

/** Several values with one name become a list. Throws an ApiError for the name `__proto__`. */
function addField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") throw new ApiError("SyntaxError", "Object contains forbidden prototype property");
  fields[name] = Object.hasOwn(fields, name) ? [fields[name], value].flat() : value;
}

/** Names with brackets are paths, as in query strings. */
function collectFields(parts: Iterable<readonly [name: string, value: unknown]>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const list = [...parts];
  for (const [name, value] of list) addField(fields, name, value);
  if (!list.some(([name]) => name.includes("["))) return fields;
  const { parse, stringify } = require("qs") as typeof import("qs");
  return parse(list.map(([name, value]) => stringify({ [name]: value })).join("&"));
}

/** Streams a file of a form to disk. Rejects with an ApiError for more than `limit` bytes, and for a full disk. */
async function saveFile(part: FormPart, path: string, limit: number): Promise<FormFile> {
  let size = 0;
  const content = async (write: (bytes: Uint8Array) => Promise<void>): Promise<void> => {
    for await (const chunk of part.stream) {
      size += chunk.length;
      if (size > limit) throw bodyTooLarge();
      await write(chunk);
    }
  };
  await writeNew(path, content, { flush: false });
  const { filename, type: mimetype } = part;
  return new FormFile({ filepath: path, originalFilename: basename(filename), mimetype, size });
}

/** `limit`: maximum size of a file in bytes. */
async function readForm(ctx: Context, tools: HttpTools, limit: number): Promise<void> {
  const savedFiles: { readonly field: string; file?: FormFile }[] = [];
  let folder: string | undefined;
  const remove = async (): Promise<void> => {
    if (folder === undefined) return;
    // large files take a while
    await rm(folder, { recursive: true, force: true });
    removeTemporaryFolder(folder);
  };
  try {
    const parts = await tools.readForm(ctx.req.received, async (part) => {
      folder ??= createTemporaryFolder("form");
      const entry: (typeof savedFiles)[number] = { field: part.field };
      savedFiles.push(entry);
      entry.file = await saveFile(part, join(folder, crypto.randomUUID()), limit);
    });
    const files: Record<string, unknown> = {};
    for (const { field, file } of savedFiles) addField(files, field, file);
    ctx.request.body = collectFields(parts);
    ctx.request.files = files;
  } catch (error) {
    await remove();
    throw error;
  }
  ctx.res.once("close", () => void remove());
}

/** Key of the unparsed body, which code needs to verify signatures. */
const UNPARSED = Symbol.for("unparsedBody");

const TEXT_TYPES = /^(application\/(\S+\+)?json|application\/(x-www-form-urlencoded|csp-report)|text\/)/i;

/** Reads the body with its text, like `strapi::body` with `includeUnparsed`. */
async function readWithText(ctx: Context, tools: HttpTools, type: string): Promise<void> {
  const { received } = ctx.req;
  const copy = received.clone();
  const body = await tools.readBody(received);
  if (!TEXT_TYPES.test(type)) return;
  ctx.request.body = body || {};
  if (typeof ctx.request.body === "object")
    Object.assign(ctx.request.body as object, { [UNPARSED]: await copy.text() });
}

/** Of a file that any route may get, as in Strapi, whose limit of uploads is the upload service's. */
const FORM_FILE_BYTES = 200 * 2 ** 20;

async function readAnyBody(ctx: Context, { tools, settings }: Pick<Runtime, "tools" | "settings">): Promise<void> {
  const { received } = ctx.req;
  const type = received.headers.get("content-type") ?? "";
  if (/^multipart\//i.test(type)) {
    if (!settings.http.body.parses.multipart) return undefined;
    return readForm(ctx, tools, Math.max(settings.upload.sizeLimit || Number.POSITIVE_INFINITY, FORM_FILE_BYTES));
  }
  if (settings.http.body.includeUnparsed) return readWithText(ctx, tools, type);
  ctx.request.body = await tools.readBody(received);
}

/** Undefined if there is nothing to wait for. Rejects with an ApiError for a body that cannot be read. */
export function readRequestBody(
  ctx: Context,
  services: Pick<Runtime, "tools" | "settings">,
): Promise<void> | undefined {
  if (services.settings.http.body.methods.includes(ctx.req.original.method)) return readAnyBody(ctx, services);
  ctx.request.body = {};
  return undefined;
}
