/** `/upload/folders`: the folders of the media library. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { folderStructure } from "../../engine/media/folder-structure.ts";
import { rowId } from "../../engine/media/row-id.ts";
import { readOffsets } from "../../engine/query/list-params.ts";
import type { Params } from "../../engine/query/parse.ts";
import { findRows } from "../../engine/query/run.ts";
import type { Document } from "../../engine/query/select.ts";
import { FOLDER } from "../../engine/schema/builtin/index.ts";
import { notFound } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import { setAuthor, withShownCreators } from "../administrator.ts";
import { requiredBody } from "../body.ts";
import { type AdminCall, type AdminRoute, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { readWholeQuery } from "../whole-model.ts";
import { readFolder } from "./folder-input.ts";

const wholeNumber = (value: unknown): number | undefined => {
  const number = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
};

/** `start` and `limit`; everything by default. As in Strapi, `page` and `pageSize` have no effect. */
const readRange = ({ start, limit }: Params): { readonly start: number; readonly limit: number | undefined } => ({
  start: wholeNumber(start) ?? 0,
  limit: wholeNumber(limit),
});

/** The default populate of a folder. */
const COUNTS = { children: { count: true }, files: { count: true } };

/** The counts are added to what an object populates; other values replace them. */
const withCounts = ({ populate = {} }: Params): unknown =>
  isRecord(populate) && !Array.isArray(populate) ? { ...COUNTS, ...populate } : populate;

/** Folders by their ids, or by the query parameters. */
export function readFolders(
  { storage, model }: DocumentsContext,
  params: Params = {},
  ids?: readonly number[],
): Document[] {
  // page numbers have no effect, but must be valid
  readOffsets({ page: params.page, pageSize: params.pageSize });
  const query = readWholeQuery(model, FOLDER, params);
  const scope = ids ? { locales: undefined, ids } : { locales: undefined };
  const rows = findRows({ storage, model, status: "published" }, { ...query, ...readRange(params) }, scope);
  return rows.map((row) => withShownCreators(params.fields ? row : { ...row, locale: null }));
}

export function folderRoutes({ context, media }: AdminServices): AdminRoute[] {
  const { folders } = media;
  const { storage } = context;
  const findOne = (id: number, params: Params = {}): Document => {
    const [found] = readFolders(context, params, [id]);
    if (!found) throw notFound("folder not found");
    return found;
  };
  const listed = (params: Params): Document[] => readFolders(context, { ...params, populate: withCounts(params) });
  const readId = ({ params }: AdminCall): number => rowId(params.id) ?? 0;
  return [
    route("GET", "/upload/folders", ({ query }) => ok({ data: listed(query()) })),
    route("POST", "/upload/folders", async (call) => {
      const input = await requiredBody(call);
      const { id } = await storage.write(() => {
        const { name, parent } = readFolder(folders, input);
        return folders.create(name ?? "", parent ?? null);
      });
      await setAuthor(context, FOLDER, [id], { isNew: true });
      return { status: 201, body: { data: findOne(id) } };
    }),
    route("GET", "/upload/folder-structure", () => ok({ data: folderStructure(folders) })),
    route("GET", "/upload/folders/:id", (call) => {
      const params = call.query();
      const { filters, sort, fields, page, pageSize, _q } = params;
      const given = pickBy({ filters, sort, fields, page, pageSize, _q }, (value) => value !== undefined);
      return ok({ data: findOne(readId(call), { ...given, populate: withCounts(params) }) });
    }),
    route("PUT", "/upload/folders/:id", async (call) => {
      const input = await requiredBody(call);
      const id = readId(call);
      await storage.write(() => {
        const { name, parent } = readFolder(folders, input, id);
        const before = folders.find(id);
        if (!before) throw notFound("folder not found");
        if (parent !== undefined) folders.move(before, parent);
        folders.rename(id, name ?? before.name);
      });
      await setAuthor(context, FOLDER, [id], { isNew: false });
      return ok({ data: findOne(id) });
    }),
  ];
}
