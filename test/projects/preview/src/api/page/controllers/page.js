const { factories } = require("@strapi/strapi");

const inner = { __component: "part.inner", text: "in" };
/** What no document service returns, but own code may. */
const literals = {
  nothing: null,
  "no-document": { title: "t" },
  unknown: { documentId: "d", title: "t", other: "o", more: { title: "t" } },
  list: [{ documentId: "a", title: "t" }, { documentId: "b", locale: "fr", title: "t" }, null, "text"],
  nested: [[{ documentId: "a", title: "t" }]],
  numbers: { documentId: "d", title: 5, summary: true, moment: new Date(0), data: ["a"], big: 12 },
  "wrong-shapes": { documentId: "d", seo: [{ metaTitle: "a" }, { metaTitle: "b" }], outers: { title: "t" }, tags: "text", cover: "c.png" },
  "zone-of-one": { documentId: "d", zone: inner, title: "t" },
  "zone-with-holes": { documentId: "d", zone: [null, inner, "text", { text: "in" }, { __component: "part.none", text: "in" }], title: "t" },
  "media-list-in-one": { documentId: "d", cover: [{ name: "a.png" }], gallery: { name: "b.png", related: [{ __type: "api::tag.tag", label: "l" }] } },
  morph: { documentId: "d", things: [{ __type: "api::tag.tag", label: "l" }, { label: "l" }, { __type: "api::none.none", label: "l" }], title: "t" },
  "morph-with-null": { documentId: "d", things: [null, { __type: "api::tag.tag", label: "l" }], title: "t" },
  "morph-of-components": { documentId: "d", things: [{ __type: "part.seo", metaTitle: "m" }] },
  locale: { documentId: "d & e", locale: "zh-Hans", title: "t", localizations: [{ documentId: "x", locale: "fr", title: "u" }] },
  "strange-locale": { documentId: "日本", locale: "é +/", title: "t" },
  "number-as-id": { documentId: 7, locale: 1, title: "t" },
  blocks: {
    documentId: "d",
    body: [
      null, "text", { type: "other", children: [{ type: "text", text: "a" }] }, { type: "paragraph" }, { type: "paragraph", children: "no" },
      { type: "paragraph", children: [null, "x", { type: "text", text: 5 }, { type: "link", children: [{ type: "text", text: "deep" }] }, { type: "text", text: "after" }] },
      { type: "image" }, { type: "image", image: { alternativeText: null } }, { type: "image", image: { alternativeText: "alt", url: "/a.png" }, children: [{ type: "text", text: "" }] },
      { type: "text", text: "top" }, [{ type: "text", text: "in a list" }],
    ],
  },
  "blocks-as-text": { documentId: "d", body: "text" },
  "broken-list": { documentId: "d", title: "t", body: [{ type: "list" }] },
  reserved: { id: "text", documentId: "d", createdAt: "c", updatedAt: "u", publishedAt: "p", created_at: "c", createdBy: { firstname: "f" }, localizations: "l" },
};

module.exports = factories.createCoreController("api::page.page", ({ strapi }) => ({
  async shaped(ctx) {
    const page = await strapi.documents("api::page.page").findOne({ documentId: ctx.params.id, status: "draft", populate: ["seo", "gallery", "tags"] });
    return this.transformResponse(await this.sanitizeOutput(page, ctx), { note: "as it is" });
  },
  async plain(ctx) {
    const page = await strapi.documents("api::page.page").findOne({ documentId: ctx.params.id, status: "draft" });
    ctx.body = await this.sanitizeOutput(page, ctx);
  },
  literal(ctx) {
    return this.transformResponse(literals[ctx.params.name]);
  },
  meta() {
    return this.transformResponse([], { title: "t", page: { title: "t" } });
  },
  failure() {
    return this.transformResponse("text");
  },
}));
