/** `/admin/transfer`: transfers between servers are not served here, so that there are no tokens for them. */
import { invalidCredentials } from "../../engine/access/jwt.ts";
import { applicationError, notFound } from "../../lib/errors.ts";
import { type AdminRoute, ok, route } from "../call.ts";

const PATH = "/admin/transfer/tokens";
const NO_TRANSFERS =
  "This server takes part in no transfers: `galley push`, `galley pull`, `galley import` and `galley export` are started where the project is";

const refuse = (error: () => Error) => (): never => {
  throw error();
};
const isMissing = refuse(() => notFound("Transfer token not found"));

export const transferTokenRoutes = (): AdminRoute[] => [
  ...["push", "pull"].map((action) => route("GET", `/admin/transfer/runner/${action}`, refuse(invalidCredentials))),
  route("GET", PATH, () => ok({ data: [] })),
  route(
    "POST",
    PATH,
    refuse(() => applicationError(NO_TRANSFERS)),
  ),
  route("GET", `${PATH}/:id`, isMissing),
  route("PUT", `${PATH}/:id`, isMissing),
  route("POST", `${PATH}/:id/regenerate`, isMissing),
  route("DELETE", `${PATH}/:id`, () => ok({ data: null })),
];
