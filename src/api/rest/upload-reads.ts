/** Reads of files through services that take the place of the media library's own, with signed URLs. */
import type { FileServices } from "../../engine/media/file-services.ts";
import type { FileReader } from "../../engine/media/read.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Document } from "../../engine/query/select.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { RestResult } from "./call.ts";

/** As in Strapi, the service signs the files that it finds, and the route signs them again. */
export async function filesFrom(services: FileServices, reader: FileReader, params: Params): Promise<Document[]> {
  reader.check(params);
  const found = await services.read("findMany", params);
  if (found === undefined) return Promise.all((await reader.findMany(params)).map(services.sign));
  if (!Array.isArray(found)) throw new TypeError("plugin::upload.upload: findMany() must return a list of files");
  return found;
}

/** Resolves with undefined for an unknown file. */
export async function fileFrom(
  services: FileServices,
  reader: FileReader,
  id: unknown,
  params: Params,
): Promise<Document | undefined> {
  reader.check(params);
  const reading = services.read("findOne", id, params.populate);
  const found = reading ? await reading : reader.findOne(id, params);
  if (!isRecord(found)) return undefined;
  return reading ? found : services.sign(found);
}

/** Undefined if the services read no pages. */
export function pageFrom(services: FileServices, reader: FileReader, params: Params): Promise<RestResult> | undefined {
  reader.check(params);
  return services.read("findAndCountPage", params)?.then((page) => {
    const { results, pagination } = isRecord(page) ? page : {};
    return { status: 200, body: { data: results, meta: { pagination } } };
  });
}
