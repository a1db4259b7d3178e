/** The body of a request as code finds it in `ctx.request.body`, and the files of a form in `ctx.request.files`. */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { HttpTools } from "../runtime.ts";
import type { Context } from "./context.ts";

const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

/** Files of forms lie on disk while the request is answered, as Koa's do. */
interface FormFile {
  readonly filepath: string;
  readonly path: string;
  readonly newFilename: string;
  readonly originalFilename: string;
  readonly name: string;
  readonly mimetype: string;
  readonly type: string;
  readonly size: number;
}

/** Later values of one name make a list. */
function collect(fields: Record<string, unknown>, name: string, value: unknown): void {
  const before = fields[name];
  fields[name] = before === undefined ? value : [before, value].flat();
}

async function readForm(ctx: Context): Promise<void> {
  const form = await ctx.request.original.formData();
  const fields: Record<string, unknown> = {};
  const files: Record<string, unknown> = {};
  let folder: string | undefined;
  for (const [name, value] of form) {
    if (typeof value === "string") {
      collect(fields, name, value);
      continue;
    }
    folder ??= mkdtempSync(join(tmpdir(), "galley-form-"));
    const own = crypto.randomUUID();
    const path = join(folder, own);
    await Bun.write(path, value);
    const file: FormFile = {
      filepath: path,
      path,
      newFilename: own,
      originalFilename: basename(value.name),
      name: basename(value.name),
      mimetype: value.type,
      type: value.type,
      size: value.size,
    };
    collect(files, name, file);
  }
  ctx.request.body = fields;
  ctx.request.files = files;
  if (folder !== undefined) {
    const made = folder;
    ctx.response.whenSent(() => rm(made, { recursive: true, force: true }));
  }
}

/** Throws ApiErrors for bodies that cannot be read. */
export async function readRequestBody(ctx: Context, tools: HttpTools): Promise<void> {
  const { original } = ctx.request;
  if (!WITH_BODY.has(original.method)) {
    ctx.request.body = {};
    return;
  }
  if (/^multipart\/form-data/i.test(original.headers.get("content-type") ?? "")) return readForm(ctx);
  ctx.request.body = await tools.readBody(original);
}
