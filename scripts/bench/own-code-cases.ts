/** Projects with code of their own, and requests to which one without code has the same answer, except for `meta`. */
import { encodePath } from "./works.ts";

/** Files of a project, by path. */
type Files = Readonly<Record<string, string>>;

export interface OwnCodeCase {
  readonly name: string;
  readonly about: string;
  readonly files: Files;
  /** The path of the request. */
  readonly path: string;
  /** The path that has the same answer without code; undefined: the same path. */
  readonly plainPath?: string;
}

const UID = "api::article.article";
const FOLDER = "src/api/article";

const strapi = `const { factories } = require("@strapi/strapi");\n`;
const service = (members = ""): Files => ({
  [`${FOLDER}/services/article.js`]: `${strapi}module.exports = factories.createCoreService("${UID}", () => ({ ${members} }));\n`,
});
const router = (config = "{}"): Files => ({
  [`${FOLDER}/routes/article.js`]: `${strapi}module.exports = factories.createCoreRouter("${UID}", { config: ${config} });\n`,
});
const controller = (members: string): Files => ({
  [`${FOLDER}/controllers/article.js`]: `${strapi}module.exports = factories.createCoreController("${UID}", ({ strapi }) => ({ ${members} }));\n`,
});

const LIST = encodePath("/api/articles?sort=views");
const POPULATE = "{ author: { fields: ['name'] }, category: true }";
const POPULATED = encodePath("/api/articles?sort=views&populate[author][fields][0]=name&populate[category]=true");

const populating: Files = {
  [`${FOLDER}/middlewares/populate.js`]: `module.exports = () => async (ctx, next) => {
  ctx.query.populate = ${POPULATE};
  await next();
};\n`,
};
const WITH_MIDDLEWARE = `{ find: { middlewares: ["api::article.populate"] } }`;
const OVERRIDE = `async find(ctx) {
  const { data, meta } = await super.find(ctx);
  meta.source = "own code";
  return { data, meta };
}`;

export const OWN_CODE_CASES: readonly OwnCodeCase[] = [
  {
    name: "middleware and override",
    about: "a route middleware populates, and a controller adds to the meta of super.find",
    files: { ...router(WITH_MIDDLEWARE), ...populating, ...controller(OVERRIDE), ...service() },
    path: LIST,
    plainPath: POPULATED,
  },
  {
    name: "middleware",
    about: "a route middleware populates",
    files: { ...router(WITH_MIDDLEWARE), ...populating },
    path: LIST,
    plainPath: POPULATED,
  },
  {
    name: "override",
    about: "a controller adds to the meta of super.find",
    files: { ...router(), ...controller(OVERRIDE), ...service() },
    path: LIST,
  },
  {
    name: "override with the time",
    about: "a controller replaces the query, and adds the time to the meta of super.find, as in Strapi's documentation",
    files: {
      ...router(),
      ...controller(`async find(ctx) {
  ctx.query = { ...ctx.query, local: "en" };
  const { data, meta } = await super.find(ctx);
  meta.date = Date.now();
  return { data, meta };
}`),
      ...service(),
    },
    path: LIST,
  },
  {
    name: "policy",
    about: "a policy of the route",
    files: {
      ...router(`{ find: { policies: ["api::article.allowed"] } }`),
      [`${FOLDER}/policies/allowed.js`]:
        "module.exports = (policyContext) => policyContext.request.method === 'GET';\n",
    },
    path: LIST,
  },
  {
    name: "global middleware",
    about: "a middleware of the application sets a header",
    files: {
      "config/middlewares.js": `module.exports = ["strapi::logger", "strapi::errors", "strapi::security", "strapi::cors",
  "strapi::poweredBy", "strapi::query", "strapi::body", "strapi::session", "strapi::favicon", "strapi::public", "global::timer"];\n`,
      "src/middlewares/timer.js": `module.exports = () => async (ctx, next) => {
  const start = Date.now();
  await next();
  ctx.set("X-Response-Time", \`\${Date.now() - start}ms\`);
};\n`,
    },
    path: LIST,
  },
  {
    name: "service",
    about: "a service calls super.find",
    files: {
      ...router(),
      ...controller(""),
      ...service(
        "async find(...args) { const { results, pagination } = await super.find(...args); return { results, pagination }; }",
      ),
    },
    path: LIST,
  },
  {
    name: "documents",
    about: "an action returns strapi.documents().findMany",
    files: {
      ...router(),
      ...controller(`async find() {
  const data = await strapi.documents("${UID}").findMany({ status: "published", sort: "views", limit: 25 });
  return { data };
}`),
      ...service(),
    },
    path: LIST,
  },
  {
    name: "documents.use",
    about: "a middleware of the document service",
    files: {
      "src/index.js":
        "module.exports = { register({ strapi }) { strapi.documents.use((context, next) => next()); } };\n",
    },
    path: LIST,
  },
  {
    name: "lifecycle",
    about: "afterFindMany of the content-type",
    files: {
      [`${FOLDER}/content-types/article/lifecycles.js`]:
        "module.exports = { afterFindMany(event) { event.state.count = event.result.length; } };\n",
    },
    path: LIST,
  },
];
