/**
 * The type of administrators, the target of `createdBy` and `updatedBy`. Galley has one administrator, whose row is created with
 * its first write; the Content API and content files write without an author.
 */
import type { RawContentType } from "../definition.ts";

const secret = (type: string) => ({ type, private: true });

export const CREATOR = "admin::user";

export const creator: RawContentType = {
  uid: CREATOR,
  file: "<administrator>",
  folder: "user",
  definition: {
    kind: "collectionType",
    collectionName: "admin_users",
    info: { singularName: "user", pluralName: "users", displayName: "User" },
    attributes: {
      firstname: { type: "string" },
      lastname: { type: "string" },
      username: { type: "string" },
      email: secret("email"),
      password: secret("password"),
      resetPasswordToken: secret("string"),
      resetPasswordTokenExpiresAt: secret("datetime"),
      registrationToken: secret("string"),
      isActive: secret("boolean"),
      roles: { ...secret("relation"), relation: "oneToMany", target: "admin::role" },
      apiTokens: { ...secret("relation"), relation: "oneToMany", target: "admin::api-token" },
      blocked: secret("boolean"),
      preferedLanguage: { type: "string" },
    },
  },
};
