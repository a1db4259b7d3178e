/** Two applications over the same public content that differ in everything that a stranger must not see. */
import { ADMIN, componentFile, configFile, relation, type TestApp, testApp, typeFile } from "../../../project.ts";

const toUsers = { type: "relation", relation: "manyToOne", target: "plugin::users-permissions.user" };
const localizedField = { i18n: { localized: true } };
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
    cover: { type: "media", multiple: false },
    secretFiles: { type: "media", multiple: true, private: true },
  }),
  ...typeFile(
    "news",
    {
      title: { type: "string", pluginOptions: localizedField },
      note: { type: "string", private: true, pluginOptions: localizedField },
      hidden: relation("manyToOne", "vault"),
      tags: relation("manyToMany", "tag"),
      zone: { type: "dynamiczone", components: ["parts.part"] },
    },
    { localized: true, draftAndPublish: true },
  ),
  ...typeFile(
    "home",
    {
      title: { type: "string" },
      owner: toUsers,
      hidden: relation("manyToOne", "vault"),
      tags: relation("oneToMany", "tag"),
    },
    { kind: "singleType" },
  ),
  ...typeFile("tag", {
    name: { type: "string" },
    posts: { ...relation("manyToMany", "post"), mappedBy: "tags" },
    mentions: { ...relation("morphMany", "post"), morphBy: "related" },
    mention: { ...relation("morphOne", "post"), morphBy: "subject" },
    vaults: { ...relation("morphMany", "vault"), morphBy: "related" },
  }),
  ...typeFile("vault", {
    name: { type: "string" },
    views: { type: "integer" },
    related: toMany,
    files: { type: "media", multiple: true },
  }),
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

const news = (...actions: string[]): string[] => actions.map((action) => `api::news.news.${action}`);
const fileActions = ["find", "findOne"].map((action) => `plugin::upload.content-api.${action}`);
const readers = [...news("find", "findOne"), "api::home.home.find", ...fileActions];

const roles = {
  public: [
    ...post("find", "findOne", "create", "update", "delete"),
    ...tag("find", "findOne", "create", "update"),
    ...news("create", "update"),
    ...readers,
    "api::home.home.update",
    "plugin::upload.content-api.upload",
    login,
  ],
  authenticated: [
    ...post("find", "create", "update", "delete"),
    ...tag("find"),
    ...readers,
    "plugin::users-permissions.user.me",
  ],
};

export type Secret = "alpha-one" | "omega-two";

const entry = (type: string, id: number) => ({ __type: type, id });

export interface SecretApp {
  readonly app: TestApp;
  /** The credentials of its one known user. */
  readonly user: Record<string, string>;
  /** The ids of documents that both applications have, by type. */
  readonly documents: Readonly<Record<string, readonly string[]>>;
}

async function upload(app: TestApp, name: string): Promise<number> {
  const body = new FormData();
  body.append("files", new File([name], name, { type: "text/plain" }));
  const response = await app.handle(
    new Request("http://localhost/api/upload", { method: "POST", headers: ADMIN, body }),
  );
  const [{ id }] = (await response.json()) as [{ id: number }];
  return id;
}

/** An application with secrets of its own. `more`: further files of the project. */
export async function secretApp(secret: Secret, more: Readonly<Record<string, string>> = {}): Promise<SecretApp> {
  const isFirst = secret === "alpha-one";
  const known = { username: "known", email: "known@example.com", password: "Known-123", role: "authenticated" };
  const other = { ...known, username: `user-${secret}`, email: `${secret}@example.com`, password: `Pass-${secret}` };
  const app = await testApp({
    ...files,
    ...more,
    ...configFile({
      roles: { ...roles, [`role-${secret}`]: isFirst ? post("find") : tag("find") },
      users: [
        { ...known, confirmed: true },
        ...(isFirst ? [other] : [other, { ...other, username: "x", email: "x@y.z" }]),
      ],
      auth: { ratelimit: { enabled: false } },
      locales: [{ code: "en", isDefault: true }, { code: "de" }],
    }),
  });
  const documents: Record<string, string[]> = {};
  const write = async (method: string, path: string, data: Record<string, unknown>): Promise<string> => {
    const { status, body } = await app.call(method, path, { data }, ADMIN);
    if (status !== 201 && status !== 200) throw new Error(JSON.stringify(body));
    return body.data.documentId;
  };
  const create = async (type: string, data: Record<string, unknown>): Promise<string> => {
    const id = await write("POST", `/api/${type}`, data);
    documents[type] = [...(documents[type] ?? []), id];
    return id;
  };
  const pictures: number[] = [];
  for (const name of ["one.txt", "two.txt", "three.txt"]) pictures.push(await upload(app, name));
  for (let n = 0; n < (isFirst ? 3 : 5); n++)
    await create("vaults", {
      name: `${secret}-${n}`,
      views: isFirst ? n : 9 - n,
      files: [pictures[isFirst ? 0 : n % 3]],
    });
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
      cover: pictures[n % 2],
      secretFiles: isFirst ? [pictures[2]] : pictures.slice(0, n % 3),
    });
  }
  for (let n = 1; n <= 3; n++) {
    const data = { note: `${secret}-${n}`, hidden: isFirst ? 1 : 3 + (n % 2), tags: [n] };
    const id = await create("newss", { ...data, title: `news-${n}` });
    const german = { ...data, title: `de-${n}`, note: `${secret}-de-${n}`, hidden: isFirst ? 2 : 1 };
    await write("PUT", `/api/newss/${id}?locale=de${n === 2 ? "&status=draft" : ""}`, german);
  }
  await write("PUT", "/api/home", { title: "home", owner: isFirst ? 1 : 2, hidden: isFirst ? 1 : 4, tags: [1, 2] });
  for (let n = 0; n < 3; n++)
    await create("vaults", { name: `late-${secret}-${n}`, related: [entry("api::tag.tag", isFirst ? 1 : 2 + n)] });
  const { body } = await app.call("POST", "/api/auth/local", { identifier: known.email, password: known.password }, {});
  return { app, user: { authorization: `Bearer ${body.jwt}` }, documents };
}
