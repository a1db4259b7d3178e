/** The code of the fuzzed project. It uses what requests bring, and answers all of them: a 5xx is a defect. */

const controller = (name: string): Record<string, string> => ({
  [`src/api/${name}/routes/${name}.js`]: `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::${name}.${name}", {
    config: { find: { middlewares: ["global::populate"] }, findOne: { policies: ["global::allow"] } } });`,
  [`src/api/${name}/services/${name}.js`]: `module.exports = require("@strapi/strapi").factories.createCoreService("api::${name}.${name}");`,
  [`src/api/${name}/controllers/${name}.js`]: `module.exports = require("@strapi/strapi").factories.createCoreController("api::${name}.${name}", () => ({
    async find(ctx) {
      const { data, meta } = await super.find(ctx);
      return { data, meta: { ...meta, own: true } };
    },
    async findOne(ctx) {
      const response = await super.findOne(ctx);
      if (response?.data) response.data.own = ctx.query.own;
      return response;
    },
    async create(ctx) {
      ctx.set("x-own", "1");
      return super.create(ctx);
    },
  }));`,
});

/** Own routes answer below `/api/own`. */
export const ownActions = ["echo", "context", "list", "rows", "sql", "create", "form", "stream", "cookies"] as const;

export const ownCodeFiles: Readonly<Record<string, string>> = {
  ...controller("post"),
  ...controller("tag"),
  "config/server.js": "module.exports = { app: { keys: ['one', 'two'] } };",
  "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::security", "strapi::cors", "strapi::query",
    { name: "strapi::body", config: { includeUnparsed: true } }, "strapi::session", "global::time", "strapi::public"];`,
  "src/middlewares/time.js": `module.exports = () => async (ctx, next) => {
    await next();
    ctx.set("x-time", String(Date.now()));
  };`,
  "src/middlewares/populate.js": `module.exports = () => (ctx, next) => {
    ctx.query.populate ??= { tags: true, parts: { populate: "*" } };
    if (ctx.path.includes("tags")) delete ctx.query.populate;
    return next();
  };`,
  "src/policies/allow.js": "module.exports = (ctx) => ctx.request.headers['x-refused'] === undefined;",
  "src/api/post/content-types/post/lifecycles.js": `module.exports = {
    beforeCreate({ params }) { params.data.meta ??= { hook: true }; },
    async afterCreate({ result }) { await strapi.db.query("api::tag.tag").count({ where: { name: result.title } }); },
    afterFindMany({ result }) { for (const row of result) row.kind ??= "green"; },
  };`,
  "src/api/own/routes/own.js": `module.exports = { routes: ${JSON.stringify(ownActions)}.flatMap((name) =>
    ["GET", "POST", "PUT", "DELETE"].map((method) => ({ method, path: "/own/" + name + "/:id?", handler: "own." + name, config: { auth: false } }))) };`,
  "src/api/own/controllers/own.js": `
    const { Readable } = require("node:stream");
    const UID = "api::post.post";
    module.exports = require("@strapi/strapi").factories.createCoreController(UID, ({ strapi }) => ({
      echo(ctx) {
        ctx.body = { query: ctx.query, body: ctx.request.body, params: ctx.params, files: Object.keys(ctx.request.files ?? {}) };
      },
      context(ctx) {
        const { ip, ips, host, hostname, protocol, origin, href, path, url, search, querystring, length, type, charset, subdomains } = ctx.request;
        ctx.vary("Accept");
        ctx.attachment(ctx.params.id);
        ctx.body = { ip, ips, host, hostname, protocol, origin, href, path, url, search, querystring, length, type, charset, subdomains,
          is: ctx.is("json", "html"), accepts: [ctx.accepts("json", "html"), ctx.acceptsLanguages("en"), ctx.acceptsEncodings("gzip"), ctx.acceptsCharsets("utf-8")],
          json: ctx.toJSON(), headers: ctx.req.headers };
      },
      async list(ctx) {
        await this.validateQuery(ctx);
        const query = await this.sanitizeQuery(ctx);
        // for code, an operand that a column refuses is an error of the database, as in Strapi
        const documents = await strapi.documents(UID).findMany(query).catch((error) => {
          if (/^Expected a valid (Number|BigInteger), got /.test(error.message)) ctx.throw(400, error.message);
          throw error;
        });
        ctx.body = await this.sanitizeOutput(documents, ctx);
      },
      async rows(ctx) {
        // as code should: bounded
        const text = String(ctx.params.id ?? "").replaceAll("\\0", "").slice(0, 100);
        const query = strapi.db.query(UID);
        const where = { $or: [{ title: { $contains: text } }, { tags: { name: text } }] };
        const [rows, count] = [await query.findMany({ where, limit: 5, populate: ["tags"] }), await query.count({ where })];
        ctx.body = { count, rows: await this.sanitizeOutput(rows, ctx) };
      },
      async sql(ctx) {
        const text = String(ctx.params.id ?? "");
        const rows = await strapi.db.connection("posts").where("title", text).orWhere("slug", "like", text).limit(3).select("id", "title");
        ctx.body = { rows, raw: await strapi.db.connection.raw("WITH x AS (SELECT ? AS y) SELECT y FROM x", [text]) };
      },
      async create(ctx) {
        await this.validateInput(ctx.request.body?.data, ctx);
        const data = await this.sanitizeInput(ctx.request.body?.data, ctx);
        const document = await strapi.db.transaction(() => strapi.documents(UID).create({ data, status: ctx.query.status }));
        ctx.created(await this.sanitizeOutput(document, ctx));
      },
      form(ctx) {
        const files = Object.values(ctx.request.files ?? {}).flat().map(({ size, originalFilename }) => ({ size, originalFilename }));
        ctx.send({ files, text: typeof ctx.request.body?.[Symbol.for("unparsedBody")] });
      },
      stream(ctx) {
        ctx.type = ctx.params.id === "html" ? "html" : "bin";
        ctx.body = Readable.from([Buffer.from(JSON.stringify(ctx.query)), "end"]);
      },
      cookies(ctx) {
        const seen = [ctx.cookies.get("koa.sess"), ctx.cookies.get("a", { signed: true }), ctx.session.value];
        ctx.session = { value: ctx.request.body };
        ctx.cookies.set("a", encodeURIComponent(JSON.stringify(ctx.query)).slice(0, 1000), { signed: true, overwrite: true });
        ctx.body = { seen };
      },
    }));`,
  "src/index.js": `module.exports = { register({ strapi }) {
    strapi.documents.use(async (context, next) => {
      const result = await next();
      if (context.action === "findOne" && result) result.read = strapi.requestContext.get()?.path.length;
      return result;
    });
    strapi.plugin("graphql").service("extension").use({
      typeDefs: "type Query { own(text: String, count: Int): String ownPosts(text: String): [Post] }",
      resolvers: { Query: {
        own: (_parent, args) => JSON.stringify(args),
        ownPosts: (_parent, { text }) => strapi.documents("${"api::post.post"}").findMany({ filters: { title: { $containsi: text ?? "" } }, limit: 3 }),
      } },
      resolversConfig: { "Query.own": { auth: false }, "Query.ownPosts": { auth: false, policies: [() => true] } },
    });
  } };`,
};
