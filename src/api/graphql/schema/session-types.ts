/** The types of sessions, and of the responses of mutations of users and roles. */
import {
  GraphQLBoolean,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from "graphql";

export const text = { type: new GraphQLNonNull(GraphQLString) };
export const id = { type: new GraphQLNonNull(GraphQLID) };
const optionalText = { type: GraphQLString };

const role = new GraphQLObjectType({
  name: "UsersPermissionsMeRole",
  fields: { id, name: text, description: optionalText, type: optionalText },
});

export const me = new GraphQLObjectType({
  name: "UsersPermissionsMe",
  fields: {
    id,
    documentId: id,
    username: text,
    email: optionalText,
    confirmed: { type: GraphQLBoolean },
    blocked: { type: GraphQLBoolean },
    role: { type: role },
  },
});

export const session = new GraphQLObjectType({
  name: "UsersPermissionsLoginPayload",
  fields: { jwt: optionalText, user: { type: new GraphQLNonNull(me) } },
});

const createOkPayload = (name: string): GraphQLObjectType => {
  const ok = { type: new GraphQLNonNull(GraphQLBoolean) };
  return new GraphQLObjectType({ name: `UsersPermissions${name}Payload`, fields: { ok } });
};
export const passwordPayload = createOkPayload("Password");
export const roleCreated = createOkPayload("CreateRole");
export const roleUpdated = createOkPayload("UpdateRole");
export const roleDeleted = createOkPayload("DeleteRole");

export const loginInput = new GraphQLInputObjectType({
  name: "UsersPermissionsLoginInput",
  fields: { identifier: text, password: text, provider: { ...text, defaultValue: "local" } },
});

export const registerInput = new GraphQLInputObjectType({
  name: "UsersPermissionsRegisterInput",
  fields: { username: text, email: text, password: text },
});
