/** What is populated of users: Strapi reads users without a status, so that drafts and published versions are there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, relation, type TestApp, testApp, typeFile } from "../../project.ts";

let app: TestApp;
beforeAll(async () => {
  const text = { type: "string" };
  const user = {
    kind: "collectionType",
    collectionName: "up_users",
    info: { singularName: "user", pluralName: "users", displayName: "User" },
    options: { draftAndPublish: false },
    attributes: {
      username: { ...text, required: true },
      email: { type: "email", required: true },
      provider: text,
      password: { type: "password", private: true },
      resetPasswordToken: { ...text, private: true },
      confirmationToken: { ...text, private: true },
      confirmed: { type: "boolean", default: false },
      blocked: { type: "boolean", default: false },
      role: { type: "relation", relation: "manyToOne", target: "plugin::users-permissions.role", inversedBy: "users" },
      notes: { ...relation("oneToMany", "note"), mappedBy: "owner" },
    },
  };
  app = await testApp({
    "src/extensions/users-permissions/content-types/user/schema.json": JSON.stringify(user),
    ...typeFile(
      "note",
      {
        title: text,
        owner: {
          type: "relation",
          relation: "manyToOne",
          target: "plugin::users-permissions.user",
          inversedBy: "notes",
        },
      },
      { draftAndPublish: true },
    ),
  });
  const ada = { username: "ada", email: "ada@example.com", password: "a password" };
  const { id } = (await app.call("POST", "/api/auth/local/register", ada)).body.user;
  await app.call("POST", "/api/notes", { data: { title: "Both", owner: id } });
  await app.call("POST", "/api/notes?status=draft", { data: { title: "Draft", owner: id } });
});
afterAll(() => app.close());

const notes = (user: Body): [string, boolean][] =>
  user.notes.map(({ title, publishedAt }: Body) => [title, publishedAt !== null]);

const cases: readonly (readonly [query: string, expected: [string, boolean][]])[] = [
  [
    "populate=notes",
    [
      ["Both", false],
      ["Both", true],
      ["Draft", false],
    ],
  ],
  [
    "populate=*",
    [
      ["Both", false],
      ["Both", true],
      ["Draft", false],
    ],
  ],
  ["populate=notes&status=published", [["Both", true]]],
  [
    "populate=notes&status=draft",
    [
      ["Both", false],
      ["Draft", false],
    ],
  ],
  ["populate=notes&status=other", [["Both", true]]],
];
for (const [query, expected] of cases) {
  test(`${query} of one user and of all`, async () => {
    expect(notes((await app.call("GET", `/api/users/1?${query}`)).body)).toEqual(expected);
    expect(notes((await app.call("GET", `/api/users?${query}`)).body[0])).toEqual(expected);
  });
}

test("users are found by versions of either kind", async () => {
  const count = async (title: string) =>
    (await app.call("GET", `/api/users/count?filters[notes][title]=${title}`)).body;
  expect([await count("Draft"), await count("Both"), await count("None")]).toEqual([1, 1, 0]);
});
