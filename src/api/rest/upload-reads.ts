/** Reads of files if the project's code takes part in uploads: by members of the upload service that it has replaced, with signed URLs. */
import type { CodeFiles } from "../../engine/documents/own-code.ts";
import type { FileReader } from "../../engine/media/read.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Document } from "../../engine/query/select.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { RestResult } from "./call.ts";

/** As in the reference, the service signs the files that it finds, and the route signs them again. */
export async function filesByCode(code: CodeFiles, reader: FileReader, params: Params): Promise<Document[]> {
  reader.check(params);
  const found = await code.read("findMany", params);
  if (found === undefined) return Promise.all((await reader.findMany(params)).map(code.sign));
  if (!Array.isArray(found)) throw new TypeError("plugin::upload.upload: findMany() must return a list of files");
  return found;
}

/** Resolves with undefined for an unknown file. */
export async function fileByCode(
  code: CodeFiles,
  reader: FileReader,
  id: unknown,
  params: Params,
): Promise<Document | undefined> {
  reader.check(params);
  const reading = code.read("findOne", id, params.populate);
  const found = reading ? await reading : reader.findOne(id, params);
  if (!isRecord(found)) return undefined;
  return reading ? found : code.sign(found);
}

/** Undefined if the code has not replaced the member. */
export function pageByCode(code: CodeFiles, reader: FileReader, params: Params): Promise<RestResult> | undefined {
  reader.check(params);
  return code.read("findAndCountPage", params)?.then((page) => {
    const { results, pagination } = isRecord(page) ? page : {};
    return { status: 200, body: { data: results, meta: { pagination } } };
  });
}
