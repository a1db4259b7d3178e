/** A project whose changes a client follows. */
import { type Body, componentFile, configFile, relation, type TestApp, testApp, typeFile } from "../../project.ts";

export const ARTICLE = "api::article.article";
export const AUTHOR = "api::author.author";
export const VAULT = "api::vault.vault";
export const LOCALES = ["en", "fr"];

const localized = { pluginOptions: { i18n: { localized: true } } };

export const files: Readonly<Record<string, string>> = {
  ...componentFile("part.quote", { text: { type: "string" } }),
  ...typeFile(
    "article",
    {
      title: { type: "string", ...localized },
      size: { type: "integer" },
      author: { ...relation("manyToOne", "author"), inversedBy: "articles" },
      quote: { type: "component", component: "part.quote", ...localized },
    },
    { draftAndPublish: true, localized: true },
  ),
  ...typeFile("author", {
    name: { type: "string" },
    articles: { ...relation("oneToMany", "article"), mappedBy: "author" },
  }),
  ...typeFile("vault", { name: { type: "string" }, author: relation("oneToOne", "author") }),
  ...configFile({
    locales: LOCALES.map((code) => ({ code, isDefault: code === "en" })),
    roles: { public: [ARTICLE, AUTHOR].flatMap((uid) => [`${uid}.find`, `${uid}.findOne`]) },
  }),
};

export const feedApp = (more: Readonly<Record<string, string>> = {}): Promise<TestApp> =>
  testApp({ ...files, ...more });

export interface Feed {
  readonly status: number;
  readonly body: Body;
}

/** The answer to a caller without credentials. */
export async function feed(
  app: Pick<TestApp, "handle">,
  query = "",
  headers: Record<string, string> = {},
): Promise<Feed> {
  const response = await app.handle(new Request(`http://localhost/galley/changes?${query}`, { headers }));
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

export const token = async (app: Pick<TestApp, "handle">): Promise<string> => (await feed(app)).body.token;

/** As "<type> <document id> <locale> <status> <kind>". */
export const entries = ({ body }: Feed): string[] =>
  body.changes.map(
    ({ type, documentId, locale, status, kind }: Body) => `${type} ${documentId} ${locale ?? "-"} ${status} ${kind}`,
  );
