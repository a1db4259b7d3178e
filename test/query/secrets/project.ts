/** Two applications over the same public content that differ in everything that a stranger must not see. */
import { ADMIN, componentFile, configFile, relation, type TestApp, testApp, typeFile } from "../../project.ts";

const toUsers = { type: "relation", relation: "manyToOne", target: "plugin::users-permissions.user" };
const toMany = { type: "relation", relation: "morphToMany" };

export const files: Readonly<Record<string, string>> = {
  ...typeFile("post", {
    title: { type: "string" },
    rank: { type: "integer" },
    code: { type: "string", private: true },
    pass: { type: "password" },
    owner: toUsers,
    tags: { ...relation("manyToMany", "tag"), inversedBy: "posts" },
    hidden: relation("manyToOne", "vault"),
    secretTag: { ...relation("manyToOne", "tag"), private: true },
    subject: { type: "relation", relation: "morphToOne" },
    related: toMany,
    part: { type: "component", component: "parts.part", repeatable: false },
    zone: { type: "dynamiczone", components: ["parts.part"] },
  }),
  ...typeFile("tag", {
    name: { type: "string" },
    posts: { ...relation("manyToMany", "post"), mappedBy: "tags" },
    mentions: { ...relation("morphMany", "post"), morphBy: "related" },
    mention: { ...relation("morphOne", "post"), morphBy: "subject" },
    vaults: { ...relation("morphMany", "vault"), morphBy: "related" },
  }),
  ...typeFile("vault", { name: { type: "string" }, views: { type: "integer" }, related: toMany }),
  ...componentFile("parts.part", {
    label: { type: "string" },
    inner: { type: "string", private: true },
    vault: relation("oneToOne", "vault"),
    tag: relation("oneToOne", "tag"),
  }),
};

const post = (...actions: string[]): string[] => actions.map((action) => `api::post.post.${action}`);
const tag = (...actions: string[]): string[] => actions.map((action) => `api::tag.tag.${action}`);
const login = "plugin::users-permissions.auth.callback";

const roles = {
  public: [...post("find", "findOne", "create", "update"), ...tag("find", "findOne", "create"), login],
  authenticated: [...post("find", "create", "update", "delete"), ...tag("find"), "plugin::users-permissions.user.me"],
};

export type Secret = "alpha-one" | "omega-two";

const entry = (type: string, id: number) => ({ __type: type, id });

/** An application with secrets of its own, and the credentials of its one known user. */
export async function secretApp(secret: Secret): Promise<{ app: TestApp; user: Record<string, string> }> {
  const isFirst = secret === "alpha-one";
  const known = { username: "known", email: "known@example.com", password: "Known-123", role: "authenticated" };
  const other = { ...known, username: `user-${secret}`, email: `${secret}@example.com`, password: `Pass-${secret}` };
  const app = await testApp({
    ...files,
    ...configFile({
      roles: { ...roles, [`role-${secret}`]: isFirst ? post("find") : tag("find") },
      users: [
        { ...known, confirmed: true },
        ...(isFirst ? [other] : [other, { ...other, username: "x", email: "x@y.z" }]),
      ],
      auth: { ratelimit: { enabled: false } },
    }),
  });
  const create = async (type: string, data: Record<string, unknown>): Promise<void> => {
    const { status, body } = await app.call("POST", `/api/${type}`, { data }, ADMIN);
    if (status !== 201) throw new Error(JSON.stringify(body));
  };
  for (let n = 0; n < (isFirst ? 3 : 5); n++)
    await create("vaults", { name: `${secret}-${n}`, views: isFirst ? n : 9 - n });
  for (let n = 1; n <= 4; n++) await create("tags", { name: `tag-${n}` });
  for (let n = 1; n <= 6; n++) {
    const vault = isFirst ? 1 + (n % 3) : 5 - (n % 4);
    await create("posts", {
      title: `post-${n}`,
      rank: n % 3,
      code: `${secret}-${n % 2}`,
      pass: `Pass-${secret}`,
      owner: isFirst ? 1 + (n % 2) : 3 - (n % 2),
      tags: [1 + (n % 4), 1 + ((n + 1) % 4)],
      hidden: vault,
      secretTag: isFirst ? 1 : 2 + (n % 3),
      related: [
        entry("api::tag.tag", 1 + (n % 4)),
        entry("api::vault.vault", vault),
        ...(isFirst ? [] : [entry("plugin::users-permissions.user", 1 + (n % 3))]),
      ],
      part: { label: `label-${n}`, inner: `${secret}-${n}`, vault, tag: 1 + (n % 4) },
      zone: [{ __component: "parts.part", label: `zone-${n}`, inner: secret, vault }],
    });
  }
  for (let n = 0; n < 3; n++)
    await create("vaults", { name: `late-${secret}-${n}`, related: [entry("api::tag.tag", isFirst ? 1 : 2 + n)] });
  const { body } = await app.call("POST", "/api/auth/local", { identifier: known.email, password: known.password }, {});
  return { app, user: { authorization: `Bearer ${body.jwt}` } };
}
