/** Describes the REST routes for files, users, sessions and locales. */
import { FILE, USER } from "../../engine/schema/builtin/index.ts";
import type { Json } from "./openapi-operations.ts";
import * as parts from "./openapi-operations.ts";

/** What a request has, besides the ids in its path. */
interface Details {
  readonly parameters?: readonly Json[];
  readonly body?: Json;
  readonly mediaType?: string;
}

type Operation = readonly [route: string, summary: string, status: 200 | 201, response: Json, details?: Details];

const shape = (required: Json, optional: Json = {}): Json => ({
  type: "object",
  properties: { ...required, ...optional },
  required: Object.keys(required),
});

const text: Json = { type: "string" };
const password: Json = { type: "string", format: "password" };
const email: Json = { type: "string", format: "email" };

const file = parts.refTo(FILE);
const files = parts.arraySchema(file);
const user = parts.refTo(USER);
const passwords = { password, passwordConfirmation: password };
const signedIn = shape({ jwt: text, user }, { refreshToken: text });
const done = shape({ ok: { type: "boolean" } });
const locale = shape({
  id: { type: "integer" },
  documentId: text,
  name: text,
  code: text,
  isDefault: { type: "boolean" },
});

const uploadForm = shape(
  {},
  {
    files: parts.arraySchema({ type: "string", format: "binary" }),
    fileInfo: { ...text, description: "JSON with name, alternativeText, caption and folder" },
    ref: { ...text, description: "The uid of a type" },
    refId: { ...text, description: "The id of its document that gets the files" },
    field: { ...text, description: "The attribute that gets them" },
  },
);

const selection: Details = { parameters: parts.selectionParameters };
const page: Details = { parameters: [...parts.selectionParameters, ...parts.listParameters] };
const list: Details = { parameters: [...parts.selectionParameters, ...parts.rangeListParameters] };
const changedFile = parts.parameter("id", { type: "integer" }, "A file to change");
const userBody = parts.refTo(USER, "-input");

const uploadOperations: readonly Operation[] = [
  [
    "post /upload",
    "Upload files, or change one",
    201,
    files,
    { parameters: [changedFile], body: uploadForm, mediaType: "multipart/form-data" },
  ],
  ["get /upload/files", "List all files", 200, files, list],
  ["get /upload/files/page", "List files", 200, parts.documentSchema(files, parts.listMeta), page],
  ["get /upload/files/{id}", "Read the record of a file", 200, file, selection],
  ["delete /upload/files/{id}", "Delete a file", 200, file],
];

const userOperations: readonly Operation[] = [
  ["post /auth/local", "Sign in", 200, signedIn, { body: shape({ identifier: text, password }) }],
  // users who must confirm their address get no token yet
  [
    "post /auth/local/register",
    "Register",
    200,
    shape({ user }, { jwt: text, refreshToken: text }),
    { body: shape({ username: text, email, password }) },
  ],
  [
    "post /auth/forgot-password",
    "Request a mail with a code for a new password",
    200,
    done,
    { body: shape({ email }) },
  ],
  ["post /auth/reset-password", "Set a new password", 200, signedIn, { body: shape({ code: text, ...passwords }) }],
  [
    "post /auth/change-password",
    "Change one's password",
    200,
    signedIn,
    { body: shape({ currentPassword: password, ...passwords }) },
  ],
  [
    "post /auth/send-email-confirmation",
    "Request a mail that confirms an address",
    200,
    shape({ email, sent: { type: "boolean" } }),
    { body: shape({ email }) },
  ],
  [
    "post /auth/refresh",
    "Renew a session",
    200,
    shape({ jwt: text }, { refreshToken: text }),
    { body: shape({}, { refreshToken: text }) },
  ],
  [
    "post /auth/logout",
    "End a session",
    200,
    done,
    { body: shape({}, { refreshToken: text, deviceId: text, scope: text }) },
  ],
  ["get /users", "List users", 200, parts.arraySchema(user), list],
  ["post /users", "Create a user", 201, user, { body: userBody }],
  ["get /users/count", "Count users", 200, { type: "integer" }, { parameters: [parts.filtersParameter] }],
  ["get /users/me", "Read oneself", 200, user, selection],
  ["get /users/{id}", "Read a user", 200, user, selection],
  ["put /users/{id}", "Change a user", 200, user, { body: userBody }],
  ["delete /users/{id}", "Delete a user", 200, user],
];

const localeOperations: readonly Operation[] = [["get /i18n/locales", "List locales", 200, parts.arraySchema(locale)]];

function describeOperation(tag: string, [route, summary, status, schema, details = {}]: Operation): Json {
  const { parameters = [], body, mediaType } = details;
  const ids = route.endsWith("{id}") ? [parts.idParameter("integer", "An id")] : [];
  return {
    // as in "get.upload.files.id"
    operationId: route.replaceAll(/[{}]/g, "").replaceAll(/ ?\//g, "."),
    summary,
    tags: [tag],
    parameters: [...ids, ...parameters],
    ...(body ? { requestBody: { required: true, content: parts.content(body, mediaType) } } : {}),
    responses: { [status]: parts.response(schema, "Success"), default: parts.errorResponse },
  };
}

/** `describedUids`: types whose schemas the document has. */
export function describePluginPaths(describedUids: ReadonlySet<string>, prefix: string): Record<string, Json> {
  const groups: Readonly<Record<string, readonly Operation[]>> = {
    ...(describedUids.has(FILE) && { Files: uploadOperations }),
    ...(describedUids.has(USER) && { Users: userOperations, Locales: localeOperations }),
  };
  const paths: Record<string, Json> = {};
  for (const [tag, operations] of Object.entries(groups))
    for (const operation of operations) {
      const [method = "", path] = operation[0].split(" ");
      paths[`${prefix}${path}`] = { ...paths[`${prefix}${path}`], [method]: describeOperation(tag, operation) };
    }
  return paths;
}
