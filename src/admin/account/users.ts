/** `/admin/users`: the one administrator. */

import type { DocumentsContext } from "../../engine/documents/context.ts";
import { trustedQuery } from "../../engine/query/check-query.ts";
import { readOffsets } from "../../engine/query/list-params.ts";
import type { Params } from "../../engine/query/parse.ts";
import { readSearch } from "../../engine/query/parse.ts";
import { countRows } from "../../engine/query/run.ts";
import { emptyQuery } from "../../engine/query/tree.ts";
import { ApiError, applicationError, notFound, validationError } from "../../lib/errors.ts";
import { checkBody, hasItems, maxCharacters, notEmpty, type Shape } from "../../lib/shape.ts";
import { ADMINISTRATOR_ID, administratorRow, changeAdministrator, ensureAdministrator } from "../administrator.ts";
import { exactly, type Fields, flag, listOf, objectBody, text } from "../body.ts";
import { type AdminCall, type AdminRoute, type Body, ok, refusedRoute, route } from "../call.ts";
import { readCondition } from "../content-manager/conditions.ts";
import { createPages, readPages } from "../content-manager/list.ts";
import { validEmail } from "../content-manager/users.ts";
import { parseSort } from "../sort.ts";
import { knownFilters } from "../whole-model.ts";
import { NO_PASSWORD, ONE_ADMINISTRATOR, superAdmin } from "./super-admin.ts";

const PATH = "/admin/users";
const MAX_TEXT = 255;

const trimmed = (value: string, path: string) =>
  value === value.trim() ? undefined : `${path} must be a trimmed string`;
const notTooLong = maxCharacters(MAX_TEXT);
const shortText: Shape = { ...text, tests: [notTooLong] };
const profile: Fields = {
  email: { ...shortText, tests: [validEmail, notTooLong] },
  firstname: { ...shortText, tests: [trimmed, notEmpty, notTooLong] },
  lastname: { ...shortText, nullable: true },
  username: { ...shortText, nullable: true },
};
const roles = listOf({ type: "strapiID", strict: true }, { tests: [hasItems] });

const profileShape = exactly({ ...profile, preferedLanguage: { ...shortText, nullable: true } });
const userShape = exactly({ ...profile, isActive: flag, roles });

const SEARCHED = ["firstname", "lastname", "username", "email"] as const;

/** A user in Strapi's response format. */
const shownUser = (context: DocumentsContext) => ({ ...administratorRow(context), roles: [superAdmin] });

const lastAdministrator = (): ApiError => validationError("You must have at least one user with super admin role.");

/** Throws an ApplicationError for a password: administrators cannot sign in with one. */
async function readChange(shape: Shape, call: AdminCall): Promise<Body> {
  const input = await objectBody(call);
  if (input.password !== undefined) throw applicationError(NO_PASSWORD);
  return checkBody(shape, input);
}

async function change(context: DocumentsContext, input: Body): Promise<void> {
  const { email: newEmail, ...rest } = input as Readonly<Record<string, string | null>>;
  await changeAdministrator(context, newEmail ? { ...rest, email: newEmail.toLowerCase() } : rest);
}

/** Throws a ValidationError for an invalid order, without details as in Strapi. */
function checkSort({ model }: DocumentsContext, sort: unknown): void {
  try {
    parseSort(model, model.creator, sort);
  } catch (error) {
    throw error instanceof ApiError ? validationError(error.message) : error;
  }
}

/**
 * Whether `_q` and `filters` select the administrator. Unknown keys have no effect. Throws a ValidationError for invalid filters and an
 * invalid order.
 */
async function isSelected(context: DocumentsContext, { _q, filters, sort }: Params): Promise<boolean> {
  const { storage, model } = context;
  const text = readSearch(_q)?.toLowerCase() ?? "";
  checkSort(context, sort);
  if (filters !== undefined && typeof filters !== "object")
    throw validationError("The filters parameter must be an object or an array");
  const where = filters && readCondition(model, model.creator, knownFilters(model, model.creator, filters));
  if (where) {
    await ensureAdministrator(context);
    const query = trustedQuery({ ...emptyQuery(model.creator), where });
    if (countRows({ storage, model, status: "published" }, query, { locales: undefined }) === 0) return false;
  }
  const me = shownUser(context);
  return SEARCHED.some((name) => me[name]?.toLowerCase().includes(text));
}

export function administratorRoutes(context: DocumentsContext): AdminRoute[] {
  const isMe = (id: string | undefined): boolean => id === String(ADMINISTRATOR_ID);
  return [
    route("GET", `${PATH}/me`, () => ok({ data: shownUser(context) })),
    route("PUT", `${PATH}/me`, async (call) => {
      await change(context, await readChange(profileShape, call));
      return ok({ data: shownUser(context) });
    }),
    route("GET", PATH, async ({ query }) => {
      const params = query();
      readOffsets(params);
      // as in Strapi, offsets are checked and have no effect
      const { page, pageSize, start } = readPages({ page: params.page, pageSize: params.pageSize });
      const all = (await isSelected(context, params)) ? [shownUser(context)] : [];
      return ok({
        data: { results: all.slice(start, start + pageSize), pagination: createPages(page, pageSize, all.length) },
      });
    }),
    refusedRoute("POST", PATH, () => applicationError(ONE_ADMINISTRATOR)),
    route("POST", `${PATH}/batch-delete`, async ({ body }) => {
      const { ids } = await body();
      if ([ids].flat().some((id) => isMe(String(id)))) throw applicationError("You cannot delete your own user");
      throw notFound("User not found");
    }),
    route("GET", `${PATH}/:id`, ({ params }) => {
      if (!isMe(params.id)) throw notFound("User does not exist");
      return ok({ data: shownUser(context) });
    }),
    route("PUT", `${PATH}/:id`, async (call) => {
      const { isActive, roles: roleIds = [superAdmin.id], ...rest } = await readChange(userShape, call);
      if (!isMe(call.params.id)) throw notFound("User does not exist");
      const ids = (roleIds as readonly unknown[]).map(String);
      if (isActive === false || !ids.includes(String(superAdmin.id))) throw lastAdministrator();
      if (ids.some((id) => id !== String(superAdmin.id))) throw applicationError(ONE_ADMINISTRATOR);
      await change(context, rest);
      return ok({ data: shownUser(context) });
    }),
    route("DELETE", `${PATH}/:id`, ({ params }) => {
      throw isMe(params.id) ? lastAdministrator() : notFound("User not found");
    }),
  ];
}
