/** Warnings about public write access and about secrets in files. */
import type { GalleySettings } from "../config/galley-file.ts";
import { apiTypes, type Model } from "../schema/model.ts";
import type { Roles } from "./roles.ts";

export const accessRisks = ["public-writes", "public-users", "public-drafts", "secrets-in-files"] as const;
export type AccessRisk = (typeof accessRisks)[number];

export interface AccessWarning {
  readonly risk: AccessRisk;
  readonly text: string;
}

interface CheckedProject {
  readonly model: Model;
  readonly settings: { readonly galley: GalleySettings };
  readonly access: { readonly roles: Roles };
}

const WRITES = ["create", "update", "delete"];
const USERS = "plugin::users-permissions";

export function accessWarnings({ model, settings, access: { roles } }: CheckedProject): AccessWarning[] {
  const id = roles.idByType("public");
  const publicActions = id === undefined ? new Set<string>() : roles.actions(id);
  const warnings: AccessWarning[] = [];
  const warn = (risk: AccessRisk, text: string): void => void warnings.push({ risk, text });
  for (const { uid, pluralName, draftAndPublish } of apiTypes(model)) {
    const writes = WRITES.filter((name) => publicActions.has(`${uid}.${name}`));
    if (writes.length > 0) warn("public-writes", `everybody may ${writes.join(", ")} ${pluralName}`);
    const reads = publicActions.has(`${uid}.find`) || publicActions.has(`${uid}.findOne`);
    if (reads && draftAndPublish)
      warn("public-drafts", `everybody may read the drafts of ${pluralName} too: status=draft needs no other right`);
  }
  if (publicActions.has("plugin::upload.content-api.upload")) warn("public-writes", "everybody may upload files");
  if (publicActions.has("plugin::upload.content-api.destroy")) warn("public-writes", "everybody may delete files");
  const userActions = [...publicActions].filter(
    (action) => action.startsWith(`${USERS}.user.`) && !action.endsWith(".me"),
  );
  if (userActions.length > 0) warn("public-users", `everybody may use ${userActions.join(", ")}`);
  const roleActions = [...publicActions].filter((action) => action.startsWith(`${USERS}.role.`));
  if (roleActions.length > 0) warn("public-users", `everybody may use ${roleActions.join(", ")}`);
  for (const { name, key } of settings.galley.tokens ?? [])
    if (key !== undefined)
      warn(
        "secrets-in-files",
        `the key of the token "${name}" is in config/galley.json; keyEnv takes it from the environment`,
      );
  for (const { username, password } of settings.galley.users ?? [])
    if (password !== undefined)
      warn("secrets-in-files", `the password of the user "${username}" is in config/galley.json`);
  return warnings;
}
