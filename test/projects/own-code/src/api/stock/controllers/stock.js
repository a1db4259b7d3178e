'use strict';
const { createCoreController } = require('@strapi/strapi').factories;
const uid = 'api::stock.stock';
module.exports = createCoreController(uid, ({ strapi }) => ({
  async take(ctx) {
    const { results } = await strapi.service(uid).find({ filters: { name: ctx.params.name } });
    const [published] = results;
    const found = await strapi.entityService.findOne(uid, published.id);
    const updated = await strapi.entityService.update(uid, found.id, { data: { left: found.left - 1 } });
    return { found: found.publishedAt === null ? 'draft' : 'published', left: updated.left };
  },
  async takePublished(ctx) {
    const [published] = await strapi.documents(uid).findMany({ filters: { name: ctx.params.name }, status: 'published' });
    const updated = await strapi.entityService.update(uid, published.id, { data: { left: published.left - 1 } });
    return { left: updated.left };
  },
  async make(ctx) {
    const made = await strapi.entityService.create(uid, { data: { name: ctx.params.name } });
    return { name: made.name, left: made.left };
  },
  async byDocument(ctx) {
    const [published] = await strapi.documents(uid).findMany({ status: 'published' });
    return { found: await strapi.entityService.findOne(uid, published.documentId) };
  },
  async publish(ctx) {
    const made = await strapi.documents(uid).create({ data: { name: ctx.params.name } });
    const before = await strapi.documents(uid).count({ status: 'published', filters: { name: ctx.params.name } });
    const { documentId, entries } = await strapi.documents(uid).publish({ documentId: made.documentId });
    const after = await strapi.documents(uid).count({ status: 'published', filters: { name: ctx.params.name } });
    const un = await strapi.documents(uid).unpublish({ documentId: made.documentId });
    const last = await strapi.documents(uid).count({ status: 'published', filters: { name: ctx.params.name } });
    return { same: documentId === made.documentId, entries: entries.length, before, after, un: un.entries.length, last };
  },
  async rows(ctx) {
    const rows = await strapi.db.query(uid).findMany({ where: { name: ctx.params.name }, orderBy: { id: 'asc' } });
    return rows.map(({ name, left, publishedAt }) => ({ name, left, published: publishedAt !== null }));
  },
}));
