/** The fields for sessions, users and roles, except plain reads. */
import { GraphQLError, type GraphQLFieldConfigArgumentMap, GraphQLNonNull, type GraphQLOutputType } from "graphql";
import { parseRowId } from "../../../engine/access/users.ts";
import type { Params } from "../../../engine/query/parse.ts";
import type { Document } from "../../../engine/query/select.ts";
import { ROLE, USER } from "../../../engine/schema/builtin/index.ts";
import { contentType } from "../../../engine/schema/model.ts";
import { toRecord } from "../../../lib/is-record.ts";
import { mapValues } from "../../../lib/records.ts";
import { typeName } from "../names.ts";
import { completeRows } from "../plan/complete-rows.ts";
import { slot } from "../plan/field-plan.ts";
import { forbiddenAccess, Planner } from "../plan/planner.ts";
import { findObjectType } from "../plan/read.ts";
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
const toOkPayload = (work: Promise<unknown>): Promise<{ ok: true }> => work.then(() => ({ ok: true }));

/** The user of a response: what `row` has, and what is selected of the stored one, for each selected `data`. */
function readUser(field: RootField, row: unknown): Document {
  const { operation, info } = field;
  const response = findObjectType(info.returnType);
  const selected = [...new Planner(operation, info).collect(response, info.fieldNodes)];
  return Object.fromEntries(
    selected.flatMap(([key, nodes]) =>
      nodes[0]?.name.value === "data" ? [[slot(key), completeRows(field, row, undefined, nodes)]] : [],
    ),
  );
}

async function createUser(users: UserOperations, field: RootField): Promise<Document> {
  const user = await users.createUser(field.args, field.operation.caller);
  field.operation.status = CREATED;
  return readUser(field, user);
}

const updateUser = async (users: UserOperations, field: RootField): Promise<Document> =>
  readUser(field, await users.updateUser(field.args, field.operation.caller));

async function deleteUser(users: UserOperations, field: RootField): Promise<Document> {
  // while it is there
  const stored = readUser(field, { id: parseRowId(field.args.id) });
  const user = await users.deleteUser(field.args, field.operation.caller);
  if (user) return mapValues(stored, (row) => ({ ...toRecord(row), ...toRecord(user) }));
  field.operation.status = NO_CONTENT;
  return {};
}

const dataArgument = (types: Types, uid: string) => ({
  data: { type: new GraphQLNonNull(dataInput(types, contentType(types.model, uid))) },
});

const mutationRows = (types: Types): Readonly<Record<string, Row>> => ({
  ...roleRows(types),
  ...userRows(types),
  ...accountRows(),
});

function roleRows(types: Types): Readonly<Record<string, Row>> {
  const data = dataArgument(types, ROLE);
  return {
    createUsersPermissionsRole: {
      type: roleCreated,
      args: data,
      description: "Create a new role",
      action: `${PLUGIN}.role.createRole`,
      resolve: (users, field) => toOkPayload(users.createRole(field.args, field.operation.caller)),
    },
    updateUsersPermissionsRole: {
      type: roleUpdated,
      args: { id, ...data },
      description: "Update an existing role",
      action: `${PLUGIN}.role.updateRole`,
      resolve: (users, field) => toOkPayload(users.updateRole(field.args, field.operation.caller)),
    },
    deleteUsersPermissionsRole: {
      type: roleDeleted,
      args: { id },
      description: "Delete an existing role",
      action: `${PLUGIN}.role.deleteRole`,
      resolve: (users, field) => toOkPayload(users.deleteRole(field.args, field.operation.caller)),
    },
  };
}

function userRows(types: Types): Readonly<Record<string, Row>> {
  const data = dataArgument(types, USER);
  const user = typeName(contentType(types.model, USER));
  const response = new GraphQLNonNull(entityResponse(types, contentType(types.model, USER)));
  return {
    [`create${user}`]: {
      type: response,
      args: data,
      description: "Create a new user",
      action: `${PLUGIN}.user.create`,
      passwords: 1,
      resolve: createUser,
    },
    [`update${user}`]: {
      type: response,
      args: { id, ...data },
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
  };
}

/** What callers do for themselves. */
function accountRows(): Readonly<Record<string, Row>> {
  const input = (inputType: typeof loginInput) => ({ input: { type: new GraphQLNonNull(inputType) } });
  const sessionType = new GraphQLNonNull(session);
  return {
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
  throw forbiddenAccess();
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
