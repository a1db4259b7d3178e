/** The fields for sessions, users and roles, except plain reads. */
import { GraphQLError, type GraphQLFieldConfigArgumentMap, GraphQLNonNull, type GraphQLOutputType } from "graphql";
import type { Params } from "../../../engine/query/parse.ts";
import type { Document } from "../../../engine/query/select.ts";
import { ROLE, USER } from "../../../engine/schema/builtin/index.ts";
import { contentType } from "../../../engine/schema/model.ts";
import { typeName } from "../names.ts";
import { slot } from "../plan/field-plan.ts";
import { forbidden, Planner } from "../plan/planner.ts";
import { findObjectType, readRow } from "../plan/read.ts";
import type { RootField } from "../plan/root-field.ts";
import type { UserOperations } from "../user-operations.ts";
import { entityResponse } from "./collections.ts";
import { dataInput } from "./inputs.ts";
import { type RootFields, rootField } from "./root-resolver.ts";
import {
  id,
  loginInput,
  me,
  passwordPayload,
  registerInput,
  roleCreated,
  roleDeleted,
  roleUpdated,
  session,
  text,
} from "./session-types.ts";
import type { Types } from "./types.ts";

interface Row {
  readonly type: GraphQLOutputType;
  readonly args: GraphQLFieldConfigArgumentMap;
  readonly description?: string;
  /** The permission; undefined: none is needed. */
  readonly action: string | undefined;
  /** The maximum number of passwords and codes that it processes; default: none. */
  readonly passwords?: number;
  readonly resolve: (users: UserOperations, field: RootField) => Promise<unknown>;
}

const PLUGIN = "plugin::users-permissions";
const CREATED = 201;
const NO_CONTENT = 204;

const readParams = ({ args }: RootField, name: string): Params => args[name] as Params;
/** Users and files are identified by their row id, not by a documentId. */
export const rowId = ({ args }: RootField): number => (/^\d{1,15}$/.test(String(args.id)) ? Number(args.id) : -1);
const toOkPayload = (work: Promise<void>): Promise<{ ok: true }> => work.then(() => ({ ok: true }));

/** The user of a response, for each selected `data`; undefined for an unknown user. */
function readUser(field: RootField, user: number): Document | undefined {
  const { operation, info } = field;
  if (!readRow(field, user, { nodes: [] })) return undefined;
  const row: Document = {};
  const response = findObjectType(info.returnType);
  for (const [key, nodes] of new Planner(operation, info).collect(response, info.fieldNodes)) {
    if (nodes[0]?.name.value === "data") row[slot(key)] = readRow(field, user, { nodes });
  }
  return row;
}

async function createUser(users: UserOperations, field: RootField): Promise<Document | undefined> {
  const user = await users.createUser(readParams(field, "data"));
  field.operation.status = CREATED;
  return readUser(field, user);
}

async function updateUser(users: UserOperations, field: RootField): Promise<Document | undefined> {
  await users.updateUser(rowId(field), readParams(field, "data"));
  return readUser(field, rowId(field));
}

async function deleteUser(users: UserOperations, field: RootField): Promise<Document> {
  const user = readUser(field, rowId(field));
  if (user) await users.deleteUser(rowId(field));
  else field.operation.status = NO_CONTENT;
  return user ?? {};
}

function mutationRows(types: Types): Readonly<Record<string, Row>> {
  const input = (inputType: typeof loginInput) => ({ input: { type: new GraphQLNonNull(inputType) } });
  const data = (uid: string) => ({
    data: { type: new GraphQLNonNull(dataInput(types, contentType(types.model, uid))) },
  });
  const user = typeName(contentType(types.model, USER));
  const response = new GraphQLNonNull(entityResponse(types, contentType(types.model, USER)));
  const sessionType = new GraphQLNonNull(session);
  return {
    createUsersPermissionsRole: {
      type: roleCreated,
      args: data(ROLE),
      description: "Create a new role",
      action: `${PLUGIN}.role.createRole`,
      resolve: (users, field) => toOkPayload(users.createRole(readParams(field, "data"))),
    },
    updateUsersPermissionsRole: {
      type: roleUpdated,
      args: { id, ...data(ROLE) },
      description: "Update an existing role",
      action: `${PLUGIN}.role.updateRole`,
      resolve: (users, field) => toOkPayload(users.updateRole(rowId(field), readParams(field, "data"))),
    },
    deleteUsersPermissionsRole: {
      type: roleDeleted,
      args: { id },
      description: "Delete an existing role",
      action: `${PLUGIN}.role.deleteRole`,
      resolve: (users, field) => toOkPayload(users.deleteRole(rowId(field))),
    },
    [`create${user}`]: {
      type: response,
      args: data(USER),
      description: "Create a new user",
      action: `${PLUGIN}.user.create`,
      passwords: 1,
      resolve: createUser,
    },
    [`update${user}`]: {
      type: response,
      args: { id, ...data(USER) },
      description: "Update an existing user",
      action: `${PLUGIN}.user.update`,
      passwords: 1,
      resolve: updateUser,
    },
    [`delete${user}`]: {
      type: response,
      args: { id },
      description: "Delete an existing user",
      action: `${PLUGIN}.user.destroy`,
      resolve: deleteUser,
    },
    login: {
      type: sessionType,
      args: input(loginInput),
      action: undefined,
      passwords: 1,
      resolve: (users, field) => users.login(readParams(field, "input"), field.operation.caller),
    },
    register: {
      type: sessionType,
      args: input(registerInput),
      description: "Register a user",
      action: undefined,
      passwords: 1,
      resolve: (users, field) => users.register(readParams(field, "input"), field.operation.caller),
    },
    forgotPassword: {
      type: passwordPayload,
      args: { email: text },
      description: "Request a reset password token",
      action: undefined,
      passwords: 1,
      resolve: (users, { args, operation }) => toOkPayload(users.forgotPassword(args, operation.caller)),
    },
    resetPassword: {
      type: session,
      args: { password: text, passwordConfirmation: text, code: text },
      description: "Reset user password. Confirm with a code (resetToken from forgotPassword)",
      action: undefined,
      passwords: 1,
      resolve: (users, { args, operation }) => users.resetPassword(args, operation.caller),
    },
    changePassword: {
      type: session,
      args: { currentPassword: text, password: text, passwordConfirmation: text },
      description: "Change user password. Confirm with the current password.",
      action: `${PLUGIN}.auth.changePassword`,
      passwords: 2,
      resolve: (users, { args, operation }) => users.changePassword(args, operation.caller),
    },
    emailConfirmation: {
      type: session,
      args: { confirmation: text },
      description: "Confirm an email users email address",
      action: undefined,
      resolve: (users, { args, operation }) => users.emailConfirmation(args, operation.caller),
    },
  };
}

/** Authenticated users may always read themselves. As in Strapi, other callers are refused, whatever their permissions. */
async function readMe({ operation }: RootField): Promise<Document> {
  const { ability, services } = operation;
  // a record of its own
  operation.budget.tags?.giveUp();
  if (ability.userId !== undefined) return services.users.me(ability.userId);
  if (ability.token?.type === "full-access") {
    throw new GraphQLError("Authentication requested", { extensions: { code: "INTERNAL_SERVER_ERROR" } });
  }
  throw forbidden();
}

export const userQueries = (types: Types): RootFields => ({
  me: { type: me, resolve: rootField(contentType(types.model, USER), undefined, readMe) },
});

export function userMutations(types: Types): RootFields {
  const user = contentType(types.model, USER);
  const fields: RootFields = {};
  for (const [name, { type, args, description, action, passwords = 0, resolve }] of Object.entries(
    mutationRows(types),
  )) {
    const work = (field: RootField): Promise<unknown> => {
      field.operation.budget.take("passwords", passwords);
      return resolve(field.operation.services.users, field);
    };
    fields[name] = { type, args, description, resolve: rootField(user, action, work) };
  }
  return fields;
}
