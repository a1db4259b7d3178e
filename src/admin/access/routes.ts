/** Roles, users and tokens for the page: one response with all of them, and changes of the file that declares them. */
import { actionNames, expandActions } from "../../engine/access/action-names.ts";
import { Roles } from "../../engine/access/roles.ts";
import { validationError } from "../../lib/errors.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import { changeConfig, configSource, previewConfig } from "../config-file.ts";
import type { AdminServices } from "../services.ts";
import { API_PATH } from "../session/session.ts";
import { readChange } from "./config-changes.ts";

export function accessRoutes(services: AdminServices): AdminRoute[] {
  const { context, settings, permissions } = services;
  const { galley } = settings;
  /** Permissions that the file does not grant: the project's own code does when it starts. */
  const fromCode = (type: string, actions: readonly string[]): string[] => {
    if (galley.roles === undefined || !Object.hasOwn(galley.roles, type)) return [];
    const names = galley.roles[type] ?? [];
    const granted = new Set([...names, ...expandActions(names, actionNames(context.model)).actions]);
    return actions.filter((action) => !granted.has(action));
  };
  const listRoles = () => {
    const roles = new Roles(context);
    return roles.list().map(({ id, name, description, type, nb_users }) => {
      const actions = [...roles.actions(id as number)];
      return {
        id,
        name,
        description,
        type,
        users: nb_users,
        actions,
        actionsFromCode: fromCode(String(type), actions),
        isInFile: galley.roles !== undefined && Object.hasOwn(galley.roles, String(type)),
      };
    });
  };
  return [
    route("GET", `${API_PATH}/access`, () =>
      ok({
        data: {
          source: configSource(services),
          roles: listRoles(),
          permissions: permissions(),
          usersInFile: (galley.users ?? []).map(({ username }) => username),
          tokensInFile: (galley.tokens ?? []).map(({ name }) => name),
          defaultRole: settings.auth.defaultRole,
        },
      }),
    ),
    // nothing is written: the answer is what a change would make of the file
    route("POST", `${API_PATH}/access/preview`, async ({ body }) => {
      const { kind, change } = await body();
      return ok({ data: previewConfig(services, readChange(context.model, kind, change)) });
    }),
    route("POST", `${API_PATH}/access/change`, async ({ body }) => {
      const { kind, change, mark } = await body();
      if (typeof mark !== "string") throw validationError("mark must be that of a preview");
      await changeConfig(services, readChange(context.model, kind, change), mark);
      return ok({ data: { isChanged: true } });
    }),
  ];
}
