/** The routes of the media library: upload, list, replace and delete files. */

import type { FileServices } from "../../engine/media/file-services.ts";
import { FileReader } from "../../engine/media/read.ts";
import { paginationMeta } from "../../engine/query/list-params.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Document } from "../../engine/query/select.ts";
import { withBudget } from "../../lib/budgeted-params.ts";
import { notFound } from "../../lib/errors.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { type MaybePromise, whenReady } from "../../lib/when-ready.ts";
import type { RestCall, RestResult, RestRoute } from "./call.ts";
import type { UploadServices } from "./upload-form.ts";

const ACTION = "plugin::upload.content-api";

type Sign = (file: Document) => MaybePromise<Document>;

/** Files on local disks have no signed URLs. Only these routes return the key. */
const unsigned: Sign = (file) => ({ ...file, isUrlSigned: false });

const signAll = (files: readonly Document[], services: FileServices | undefined): MaybePromise<Document[]> =>
  services ? Promise.all(files.map(services.sign)) : (files.map(unsigned) as Document[]);

async function upload(call: RestCall, services: UploadServices): Promise<RestResult> {
  // loaded on the first upload
  const { storeForm } = require("./upload-form.ts") as typeof import("./upload-form.ts");
  const { status, files } = await storeForm(call, services);
  const others = services.fileServices();
  return {
    status,
    body: Array.isArray(files) ? await signAll(files, others) : await (others?.sign ?? unsigned)(files),
  };
}

export function uploadRoutes(services: UploadServices): RestRoute[] {
  const { context, media, pagination, fileServices } = services;
  const reader = ({ ability, budget }: RestCall) =>
    new FileReader(context, { canRead: ability.canRead, budget, omitsMembers: true });
  const toResult = async (file: Document | undefined): Promise<RestResult> => {
    if (!file) throw notFound("file.notFound");
    return { status: 200, body: await (fileServices()?.sign ?? unsigned)(file) };
  };
  return [
    {
      method: "POST",
      path: "/upload",
      action: `${ACTION}.upload`,
      handle: (call) => upload(call, services),
    },
    {
      method: "GET",
      path: "/upload/files",
      action: `${ACTION}.find`,
      handle: (call) => {
        const others = fileServices();
        const files = others
          ? readFiles(others, reader(call), withBudget(call.query(), call.budget))
          : reader(call).findMany(call.query());
        return whenReady(files, (found) => whenReady(signAll(found, others), (body) => ({ status: 200, body })));
      },
    },
    {
      method: "GET",
      path: "/upload/files/page",
      action: `${ACTION}.findPage`,
      handle: (call) => {
        const others = fileServices();
        const page = others && readPage(others, reader(call), withBudget(call.query(), call.budget));
        if (page) return page;
        return whenReady(reader(call).findPage(call.query(), pagination), (page) => {
          const meta = { pagination: paginationMeta(page.pagination, page.total) };
          return whenReady(signAll(page.documents, others), (data) => ({ status: 200, body: { data, meta } }));
        });
      },
    },
    {
      method: "GET",
      path: "/upload/files/:id",
      action: `${ACTION}.findOne`,
      handle: (call) => {
        const others = fileServices();
        if (!others) return toResult(reader(call).findById(call.params.id, call.query()));
        return readFile(others, reader(call), call.params.id, call.query()).then(toResult);
      },
    },
    {
      method: "DELETE",
      path: "/upload/files/:id",
      action: `${ACTION}.destroy`,
      handle: async ({ params }) => toResult(await media().delete(params.id)),
    },
  ];
}

/** As in Strapi, the service signs the files that it finds, and the route signs them again. */
async function readFiles(services: FileServices, reader: FileReader, params: Params): Promise<Document[]> {
  reader.checkList(params);
  const found = await services.read("findMany", params);
  if (found === undefined) return Promise.all((await reader.findMany(params)).map(services.sign));
  if (!Array.isArray(found)) throw new TypeError("plugin::upload.upload: findMany() must return a list of files");
  return found;
}

/** Resolves with undefined for an unknown file. */
async function readFile(
  services: FileServices,
  reader: FileReader,
  id: unknown,
  params: Params,
): Promise<Document | undefined> {
  // within the limits of the request, which do not hold for what a service reads
  const own = reader.findById(id, params);
  const reading = services.read("findOne", id, params.populate);
  const found = reading ? await reading : own;
  if (!isRecord(found)) return undefined;
  return reading ? found : services.sign(found);
}

/** Undefined if the services read no pages. */
function readPage(services: FileServices, reader: FileReader, params: Params): Promise<RestResult> | undefined {
  reader.check(params);
  return services.read("findAndCountPage", params)?.then((page) => {
    const { results, pagination } = toRecord(page);
    return { status: 200, body: { data: results, meta: { pagination } } };
  });
}
