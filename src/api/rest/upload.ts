/** The routes of the media library: upload, list, replace and delete files. */

import { notFound } from "../../errors.ts";
import { FileReader } from "../../media/read.ts";
import { paginationMeta } from "../../query/pagination.ts";
import type { Document } from "../../query/select.ts";
import { whenReady } from "../../when-ready.ts";
import type { RestCall, RestResult, RestRoute } from "./call.ts";
import type { UploadServices } from "./upload-form.ts";

const ACTION = "plugin::upload.content-api";

/** Files on local disks have no signed URLs. Only these routes return the key. */
const signed = <T extends Document>(file: T): T & { isUrlSigned: false } => ({ ...file, isUrlSigned: false });

async function upload(call: RestCall, services: UploadServices): Promise<RestResult> {
  // loaded on the first upload
  const { storeForm } = require("./upload-form.ts") as typeof import("./upload-form.ts");
  const { status, files } = await storeForm(call, services);
  return { status, body: Array.isArray(files) ? files.map(signed) : signed(files) };
}

export function uploadRoutes(services: UploadServices): RestRoute[] {
  const { context, media, pagination } = services;
  const reader = ({ ability, budget }: RestCall) => new FileReader(context, { canRead: ability.canRead, budget });
  const toResult = (file: Document | undefined): RestResult => {
    if (!file) throw notFound("file.notFound");
    return { status: 200, body: signed(file) };
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
      handle: (call) =>
        whenReady(reader(call).findMany(call.query()), (files) => ({ status: 200, body: files.map(signed) })),
    },
    {
      method: "GET",
      path: "/upload/files/page",
      action: `${ACTION}.findPage`,
      handle: (call) =>
        whenReady(reader(call).findPage(call.query(), pagination), (page) => {
          const meta = { pagination: paginationMeta(page.pagination, page.total) };
          return { status: 200, body: { data: page.documents.map(signed), meta } };
        }),
    },
    {
      method: "GET",
      path: "/upload/files/:id",
      action: `${ACTION}.findOne`,
      handle: (call) => toResult(reader(call).findOne(call.params.id, call.query())),
    },
    {
      method: "DELETE",
      path: "/upload/files/:id",
      action: `${ACTION}.destroy`,
      handle: async ({ params }) => toResult(await media().delete(params.id)),
    },
  ];
}
