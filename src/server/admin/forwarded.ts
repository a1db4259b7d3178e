/** Admin routes that reuse handlers of the Content API with full permissions: uploads, roles and users. */

import { describeAdministrator, setAuthor } from "../../admin/administrator.ts";
import { type AdminCall, type AdminResponse, type AdminRoute, route } from "../../admin/call.ts";
import { API_PATH } from "../../admin/session/session.ts";
import { readFile, signed } from "../../admin/upload/files.ts";
import type { RestRoute } from "../../api/rest/call.ts";
import { uploadRoutes } from "../../api/rest/upload.ts";
import { usersPermissionsRoutes } from "../../api/rest/users-permissions/index.ts";
import { createAbility } from "../../engine/access/access.ts";
import { withLimitsOnly } from "../../engine/config/body-settings.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { unlimited } from "../../lib/budget.ts";
import { ApiError, applicationError, notFound, validationError } from "../../lib/errors.ts";
import type { Project } from "../project/project.ts";

const ability = createAbility("token", "admin", () => true);
/** Calls a Content API handler with full permissions. */
async function callAsAdmin(row: RestRoute, call: AdminCall, query = call.query): Promise<AdminResponse> {
  const client = { address: () => undefined, forwardedFor: null };
  const { status, body } = await row.handle({ ...call, query, ability, budget: unlimited, client });
  return { status, body };
}

/** Roles and permissions of the users-permissions plugin. */
export const adminRoleRoutes = ({ access, settings }: Project): AdminRoute[] =>
  usersPermissionsRoutes(access, settings)
    .filter(({ path }) => path.startsWith("/users-permissions/"))
    .map((row) =>
      route(row.method, row.path, async (call) => {
        try {
          return await callAsAdmin(row, call);
        } catch (error) {
          if (error instanceof ApiError && error.httpStatus === 404) throw notFound("Role not found");
          throw error;
        }
      }),
    );

/** Users, for the admin page. The Content API's handlers end a user's sessions when the password changes. */
export const pageUserRoutes = ({ access, settings }: Project): AdminRoute[] =>
  usersPermissionsRoutes(access, settings)
    .filter(({ path }) => path === "/users" || (path.startsWith("/users/") && path !== "/users/me"))
    .map((row) => route(row.method, API_PATH + row.path, (call) => callAsAdmin(row, call)));

/** Uploads: forms are parsed as in the Content API; responses have the admin's shape of files. */
export function adminUploadRoutes({ context, media, interception, settings }: Project): AdminRoute[] {
  const folderExists = (id: number): boolean => media().folders.find(id) !== undefined;
  const user = () => describeAdministrator(context);
  const bodySettings = withLimitsOnly(settings.http.body);
  const services = {
    ...{ context, media, pagination: settings.rest, bodySettings, folderExists, user },
    fileServices: () => interception.files?.(),
  };
  const uploadRow = uploadRoutes(services).find(({ method, path }) => method === "POST" && path === "/upload")!;
  const upload = async (call: AdminCall, isNew: boolean, query = call.query): Promise<AdminResponse> => {
    const { id } = query();
    // an unknown file is refused before the form is read
    if (typeof id === "string") readFile(context, id);
    try {
      const { status, body } = await callAsAdmin(uploadRow, call, query);
      const ids = [body].flat().map((file) => (file as { id: number }).id);
      await setAuthor(context, FILE, ids, { isNew });
      const files = await Promise.all(ids.map((id) => signed(media(), readFile(context, id))));
      return { status, body: Array.isArray(body) ? files : files[0] };
    } catch (error) {
      if (error instanceof ApiError && error.message === "Files are empty") throw applicationError(error.message);
      throw error;
    }
  };
  return [
    route("POST", "/upload", (call) => upload(call, call.query().id === undefined)),
    route("POST", "/upload/files", async (call) => {
      const { status, body } = await upload(call, true, () => ({}));
      return { status, body: [body].flat()[0] };
    }),
    route("POST", "/upload/files/:id/replace", (call) => {
      const type = call.request.headers.get("content-type") ?? "";
      readFile(context, call.params.id);
      if (!/^multipart\/form-data\b/i.test(type)) throw validationError("Validation failed for file at index 0");
      return upload(call, false, () => ({ id: call.params.id }));
    }),
  ];
}
