/** Recordings of what is not built yet, by theme or name. Each line goes with the work that makes it pass. */
export const pending: Readonly<Record<string, string>> = {
  "gql-auth": "sessions by GraphQL",
  "gql-auth-password": "sessions by GraphQL",
  "gql-permissions-user": "sessions by GraphQL",
  "gql-roles": "roles by GraphQL",
  "gql-users": "users by GraphQL",
  "gql-files": "uploads",
  "gql-media": "uploads",
  upload: "uploads",
  "docs-media": "uploads",
  "auth-http-v4": "uploads",
  "auth-http-paths": "uploads",
  "auth-http-methods": "uploads",
  "auth-expired-token": "uploads and GraphQL",
};

/** Steps within built themes that need one that is not. */
export const pendingSteps: Readonly<Record<string, readonly string[]>> = {
  // an upload is before each of these
  "gql-dynamiczone": ["image", "create", "variable", "zone too short"],
};
