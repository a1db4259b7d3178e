/** Filters of lists for the administrator that must not tell what is never shown. */
import { expect, test } from "bun:test";
import { projectFolder, type TestApp, typeFile } from "../project.ts";
import { adminTokenFile, openAsAdmin } from "./admin-token.ts";

const folder = projectFolder({
  ...typeFile(
    "safe",
    { name: { type: "string" }, code: { type: "password" }, token: { type: "string" } },
    { hidden: ["token"] },
  ),
  ...typeFile("owner", { safe: { type: "relation", relation: "oneToOne", target: "api::safe.safe" } }),
  ...adminTokenFile,
});
const SAFES = "/content-manager/collection-types/api::safe.safe";
const TARGETS = "/content-manager/relations/api::owner.owner/safe";

let admin: TestApp["call"];
openAsAdmin(folder, async (opened) => {
  ({ admin } = opened);
  for (const name of ["one", "two"]) await admin("POST", SAFES, { name, code: "1234", token: `token ${name}` });
});

const found = async (path: string) => (await admin("GET", path)).body.pagination.total;

test.each([
  ["filters[code][$startsWith]=$2", 2],
  ["filters[code][$startsWith]=nothing", 2],
  ["filters[$not][code][$startsWith]=$2", 2],
  ["filters[$or][0][code][$eq]=nothing&filters[$or][1][name]=one", 1],
  ["filters[createdBy][password][$contains]=a", 2],
  ["filters[createdBy][resetPasswordToken][$notNull]=true", 2],
  ["filters[token][$startsWith]=nothing", 2],
  ["filters[$not][token][$contains]=one", 2],
  ["filters[name]=one", 1],
])("%s finds %i documents: conditions on passwords and hidden attributes have no effect", async (query, total) => {
  expect(await found(`${SAFES}?${query}`)).toBe(total);
  expect(await found(`${TARGETS}?${query}`)).toBe(total);
});

test("conditions on tokens of users have no effect, through relations neither", async () => {
  const users = "/content-manager/collection-types/plugin::users-permissions.user";
  const user = {
    username: "ann",
    email: "ann@example.com",
    password: "password",
    role: 1,
    resetPasswordToken: "secret",
  };
  expect((await admin("POST", users, user)).status).toBe(201);
  for (const query of ["filters[resetPasswordToken][$startsWith]=a", "filters[role][users][confirmationToken]=a"])
    expect(await found(`${users}?${query}`)).toBe(1);
});

test.each(["token", "code"])("the order of documents does not depend on %s", async (key) => {
  const namesOf = async (...request: Parameters<typeof admin>): Promise<string[]> =>
    (await admin(...request)).body.results.map(({ name }: { name: string }) => name);
  for (const path of [SAFES, TARGETS])
    expect(await namesOf("GET", `${path}?sort=${key}:desc`)).toEqual(await namesOf("GET", `${path}?sort=${key}:asc`));
  const { body } = await admin("GET", SAFES);
  const documentIds = body.results.map(({ documentId }: { documentId: string }) => documentId);
  const validated = (sort: string) => namesOf("POST", `${SAFES}/actions/bulkFindForValidation`, { documentIds, sort });
  expect(await validated(`${key}:desc`)).toEqual(await validated(`${key}:asc`));
});
