/** `/admin`: signing in, and information about the project for Strapi's panel. */
import { REFERENCE_VERSION } from "../../engine/config/reference-version.ts";
import { ApiError, applicationError, validationError } from "../../lib/errors.ts";
import { administratorRow } from "../administrator.ts";
import { type AdminRoute, ok, publicRoute, refusedRoute, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { NO_PASSWORD } from "./super-admin.ts";

/** Strapi's plugins that are built in. */
const plugins = [
  {
    name: "graphql",
    displayName: "GraphQL",
    description: "Adds GraphQL endpoint with default API methods.",
    packageName: "@strapi/plugin-graphql",
  },
  {
    name: "users-permissions",
    displayName: "Roles & Permissions",
    description: "Users who sign in, and what each role of them may do.",
    packageName: "@strapi/plugin-users-permissions",
  },
];

const publicRefusal = (method: AdminRoute["method"], path: string, createError: () => Error): AdminRoute => ({
  ...refusedRoute(method, path, createError),
  isPublic: true,
});
const noPassword = (): Error => applicationError(NO_PASSWORD);

/** Nobody is invited: there is one administrator. */
export const accountRoutes = ({ tokens, context }: Pick<AdminServices, "tokens" | "context">): AdminRoute[] => [
  // clients that sign in have an admin token as their password, and send it with the requests that follow
  publicRoute("POST", "/admin/login", async ({ body }) => {
    const { email, password } = await body();
    if (!email || !password) throw applicationError("Missing credentials");
    if (typeof password !== "string" || !tokens.isAdmin(password)) throw noPassword();
    return ok({ data: { token: password, accessToken: password, user: administratorRow(context) } });
  }),
  publicRefusal("POST", "/admin/register-admin", noPassword),
  publicRefusal("POST", "/admin/forgot-password", noPassword),
  publicRefusal("POST", "/admin/reset-password", noPassword),
  publicRefusal("POST", "/admin/access-token", () => new ApiError("UnauthorizedError", "Missing refresh token")),
  publicRoute("GET", "/admin/init", () =>
    ok({ data: { uuid: false, hasAdmin: true, menuLogo: null, authLogo: null } }),
  ),
  route("GET", "/admin/project-settings", () => ok({ menuLogo: null, authLogo: null })),
  refusedRoute("POST", "/admin/project-settings", () =>
    applicationError("The admin page has no logos that can be changed"),
  ),
  publicRoute("GET", "/admin/project-type", () =>
    ok({
      data: { isEE: false, features: [], flags: { nps: false, promoteEE: false }, ai: { enabled: false } },
    }),
  ),
  route("GET", "/admin/plugins", () => ok({ plugins })),
  route("GET", "/admin/telemetry-properties", () => ({ status: 204 })),
  publicRefusal("GET", "/admin/registration-info", () => validationError("Invalid registrationToken")),
  publicRefusal("POST", "/admin/register", () => validationError("Invalid registration info")),
  route("GET", "/admin/information", () =>
    ok({
      data: {
        currentEnvironment: process.env.NODE_ENV ?? "development",
        autoReload: true,
        // clients choose formats by it
        strapiVersion: REFERENCE_VERSION,
        dependencies: {},
        projectId: null,
        nodeVersion: process.version,
        communityEdition: true,
        useTypescriptOnServer: false,
      },
    }),
  ),
];
