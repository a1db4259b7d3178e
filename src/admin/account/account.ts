/** `/admin`: refused sign-in routes, and information about the project for Strapi's panel. */
import { version } from "../../../package.json" with { type: "json" };
import type { Params } from "../../engine/query/parse.ts";
import { ApiError, type Problem, problemsError, validationError } from "../../lib/errors.ts";
import { type AdminRoute, ok } from "../call.ts";
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

const refusedRoute = (path: string): AdminRoute => ({
  method: "POST",
  path,
  isPublic: true,
  handle: () => {
    throw new ApiError("ApplicationError", NO_PASSWORD);
  },
});

/** The problems of required fields that are missing or empty. */
const missingFields = (names: readonly string[], input: Params): Problem[] =>
  names
    .filter((name) => !input[name])
    .map((name) => ({ path: name, message: `${name} is a required field`, value: input[name] }));

/** Nobody is invited: there is one administrator. */
export const accountRoutes = (): AdminRoute[] => [
  refusedRoute("/admin/login"),
  refusedRoute("/admin/register-admin"),
  refusedRoute("/admin/forgot-password"),
  refusedRoute("/admin/reset-password"),
  {
    method: "POST",
    path: "/admin/access-token",
    isPublic: true,
    handle: () => {
      throw new ApiError("UnauthorizedError", "Missing refresh token");
    },
  },
  {
    method: "GET",
    path: "/admin/init",
    isPublic: true,
    handle: () => ok({ data: { uuid: false, hasAdmin: true, menuLogo: null, authLogo: null } }),
  },
  { method: "GET", path: "/admin/project-settings", handle: () => ok({ menuLogo: null, authLogo: null }) },
  {
    method: "POST",
    path: "/admin/project-settings",
    handle: () => {
      throw new ApiError("ApplicationError", "The admin page has no logos that can be changed");
    },
  },
  {
    method: "GET",
    path: "/admin/project-type",
    handle: () =>
      ok({
        data: { isEE: false, features: [], flags: { nps: false, promoteEE: false }, ai: { enabled: false } },
      }),
  },
  { method: "GET", path: "/admin/plugins", handle: () => ok({ plugins }) },
  { method: "GET", path: "/admin/telemetry-properties", handle: () => ({ status: 204 }) },
  {
    method: "GET",
    path: "/admin/registration-info",
    isPublic: true,
    handle: ({ query }) => {
      const problems = missingFields(["registrationToken"], query());
      if (problems.length > 0) throw problemsError(problems);
      throw validationError("Invalid registrationToken");
    },
  },
  {
    method: "POST",
    path: "/admin/register",
    isPublic: true,
    handle: async ({ body }) => {
      const problems = missingFields(["registrationToken", "userInfo"], await body());
      if (problems.length > 0) throw problemsError(problems);
      throw validationError("Invalid registration info");
    },
  },
  {
    method: "GET",
    path: "/admin/information",
    handle: () =>
      ok({
        data: {
          currentEnvironment: process.env.NODE_ENV ?? "development",
          autoReload: true,
          strapiVersion: version,
          dependencies: {},
          projectId: null,
          nodeVersion: process.version,
          communityEdition: true,
          useTypescriptOnServer: false,
        },
      }),
  },
];
