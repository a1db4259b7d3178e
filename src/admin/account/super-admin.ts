/** The only administrator role, the same in every project. */
import { ADMINISTRATOR_CREATED_AT } from "../administrator.ts";

export const superAdmin = {
  id: 1,
  name: "Super Admin",
  description: "Super Admins can access and manage all features and settings.",
  code: "strapi-super-admin",
} as const;

export const superAdminRow = {
  ...superAdmin,
  documentId: "superadministrators00001",
  createdAt: ADMINISTRATOR_CREATED_AT,
  updatedAt: ADMINISTRATOR_CREATED_AT,
  publishedAt: ADMINISTRATOR_CREATED_AT,
  locale: null,
  usersCount: 1,
} as const;

/** Messages for refused changes of the only role and administrator. */
export const ONE_ADMINISTRATOR =
  "There is one administrator, with one role. Others get an admin token of their own, made by `galley token create <name> --type admin`";
export const NO_PASSWORD =
  "There is no administrator with a password: send an admin token, made by `galley token create <name> --type admin`, as Authorization: Bearer";
