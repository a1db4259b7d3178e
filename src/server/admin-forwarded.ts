/** Admin routes that are those of the Content API with every right: the media library's, in the admin's shapes, and roles. */
import { createAbility } from "../access/ability.ts";
import type { AdminAnswer, AdminCall, AdminRoute } from "../admin/call.ts";
import { ok } from "../admin/call.ts";
import { readPages } from "../admin/content-manager/list.ts";
import type { RestRoute } from "../api/rest/call.ts";
import { uploadRoutes } from "../api/rest/upload.ts";
import { usersPermissionsRoutes } from "../api/rest/users-permissions.ts";
import { unlimited } from "../budget.ts";
import { ApiError, notFound } from "../errors.ts";
import type { Params } from "../query/parse.ts";
import type { Project } from "./project.ts";

/** As the content manager shows files: all of them lie in the root folder. */
const inRoot = (file: object): object => ({ ...file, folder: null, folderPath: "/", locale: null });

const ability = createAbility("token", "admin", () => true);
const MAX_IDS = 1000;

/** Top-level pages, as the admin's lists have them, in the Content API's parameter. */
function listParams(query: Params): Params {
  const { page: _page, pageSize: _size, start: _start, limit: _limit, folder: _folder, ...params } = query;
  const { page, pageSize } = readPages(query);
  return { ...params, pagination: { page, pageSize, withCount: true } };
}

/** A route of the Content API for whoever may do everything. */
async function run(row: RestRoute, call: AdminCall, query = call.query): Promise<AdminAnswer> {
  const client = { address: () => undefined, forwardedFor: null };
  const { status, body } = await row.handle({ ...call, query, ability, budget: unlimited, client });
  return { status, body };
}

/** Roles and permissions of users. */
export const adminRoleRoutes = ({ access, settings }: Project): AdminRoute[] =>
  usersPermissionsRoutes(access, settings)
    .filter(({ path }) => path.startsWith("/users-permissions/"))
    .map((row) => ({
      method: row.method,
      path: row.path,
      handle: async (call) => {
        try {
          return await run(row, call);
        } catch (error) {
          if (error instanceof ApiError && error.status === 404) throw notFound("Role not found");
          throw error;
        }
      },
    }));

export function adminUploadRoutes({ context, media, settings }: Project): AdminRoute[] {
  const rows = uploadRoutes({ context, media, pagination: { ...settings.rest, maxLimit: MAX_IDS } });
  const rowOf = (method: string, path: string): RestRoute => {
    const row = rows.find((item) => item.method === method && item.path === path);
    if (!row) throw new Error(`There is no route ${method} ${path}`);
    return row;
  };
  const forwarded = (method: AdminRoute["method"], path: string): AdminRoute => {
    const row = rowOf(method, path);
    return {
      method,
      path,
      handle: async (call) => {
        try {
          return await run(row, call);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          if (error.message === "file.notFound") throw notFound("Entity not found");
          if (error.message === "Files are empty") throw new ApiError("ApplicationError", error.message);
          throw error;
        }
      },
    };
  };
  return [
    forwarded("POST", "/upload"),
    forwarded("GET", "/upload/files/:id"),
    forwarded("DELETE", "/upload/files/:id"),
    {
      method: "GET",
      path: "/upload/files",
      handle: async (call) => {
        const { body } = await run(rowOf("GET", "/upload/files/page"), call, () => listParams(call.query()));
        const { data, meta } = body as { data: unknown; meta: { pagination: unknown } };
        return ok({ results: (data as object[]).map(inRoot), pagination: meta.pagination });
      },
    },
    {
      method: "POST",
      path: "/upload/actions/bulk-delete",
      handle: async ({ body }) => {
        const { fileIds } = await body();
        const files: unknown[] = [];
        for (const id of [fileIds ?? []].flat().slice(0, MAX_IDS)) {
          const file = await media.delete(String(id));
          if (file) files.push(file);
        }
        return ok({ data: { files, folders: [] } });
      },
    },
  ];
}
