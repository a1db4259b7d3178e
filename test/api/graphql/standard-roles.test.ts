/** The roles of a new project, whose permissions GraphQL lists in the order in which they were granted. */
import { expect, test } from "bun:test";
import { testApp, typeFile } from "../../project.ts";

test("the actions of users are granted in Strapi's order", async () => {
  const app = await testApp(typeFile("note", { title: { type: "string" } }));
  const query = `{ usersPermissionsRoles(filters: { type: { eq: "authenticated" } }) { permissions { action } } }`;
  const { body } = await app.call("POST", "/graphql", { query });
  const [role] = body.data.usersPermissionsRoles;
  expect(
    role.permissions.map(({ action }: { action: string }) => action.slice("plugin::users-permissions.".length)),
  ).toEqual(["auth.logout", "auth.getSessions", "auth.revokeSession", "user.me", "auth.changePassword"]);
  await app.close();
});
