'use strict';
const { createCoreController } = require('@strapi/strapi').factories;
module.exports = createCoreController('api::note.note', ({ strapi }) => ({
  async trace(ctx) {
    return { trace: ctx.state.trace, route: ctx.state.route.path, params: ctx.params, user: typeof ctx.state.user };
  },
  async numbers(ctx) {
    return { number: ctx.params.number };
  },
  async optional(ctx) {
    return { a: ctx.params.a || null };
  },
  async echo(ctx) {
    const { body } = ctx.request;
    return { query: ctx.query, same: ctx.request.query === ctx.query, body: body === undefined ? 'undefined' : body, method: ctx.method, path: ctx.path, type: ctx.request.type, header: ctx.get('x-mine'), url: ctx.url };
  },
  async transaction(ctx) {
    const { fail } = ctx.query;
    try {
      await strapi.db.transaction(async () => {
        await strapi.documents('api::note.note').create({ data: { text: 'in a transaction' } });
        await strapi.db.query('api::log.log').create({ data: { action: 'in a transaction' } });
        if (fail) throw new Error('rolled back');
      });
    } catch (error) {
      return { error: error.message, notes: await strapi.documents('api::note.note').count({ filters: { text: 'in a transaction' } }) };
    }
    return { notes: await strapi.documents('api::note.note').count({ filters: { text: 'in a transaction' } }) };
  },
  async query(ctx) {
    const notes = strapi.db.query('api::note.note');
    const cases = {
      createMany: () => notes.createMany({ data: [{ text: 'many 1', size: 1 }, { text: 'many 2', size: 2 }, { text: 'many 3', size: 3 }] }).then(({ count, ids }) => ({ count, ids: ids.length })),
      findMany: () => notes.findMany({ where: { text: { $startsWith: 'many' } }, orderBy: { size: 'desc' }, select: ['text', 'size'] }).then((list) => list.map(({ text, size, documentId }) => ({ text, size, hasId: documentId !== undefined }))),
      paged: () => notes.findMany({ where: { text: { $startsWith: 'many' } }, orderBy: 'size', offset: 1, limit: 1, select: ['text'] }).then((list) => list.map(({ text }) => text)),
      or: () => notes.findMany({ where: { $or: [{ size: 1 }, { text: 'many 3' }] }, orderBy: { text: 'asc' } }).then((list) => list.map(({ text }) => text)),
      in: () => notes.count({ where: { size: { $in: [1, 2] }, text: { $contains: 'many' } } }),
      not: () => notes.count({ where: { $not: { text: { $startsWith: 'many' } }, size: { $notNull: true } } }).then((count) => count >= 0),
      findOne: () => notes.findOne({ where: { text: 'many 2' } }).then(({ text, size, locale, publishedAt }) => ({ text, size, locale, published: publishedAt !== null })),
      findOneNone: () => notes.findOne({ where: { text: 'no such' } }),
      count: () => notes.count({ where: { text: { $startsWith: 'many' } } }),
      findPage: () => notes.findPage({ where: { text: { $startsWith: 'many' } }, orderBy: { size: 'asc' }, page: 2, pageSize: 2 }).then(({ results, pagination }) => ({ texts: results.map(({ text }) => text), pagination })),
      findWithCount: () => notes.findWithCount({ where: { text: { $startsWith: 'many' } }, limit: 1 }).then(([list, count]) => [list.length, count]),
      update: () => notes.update({ where: { text: 'many 1' }, data: { size: 10 } }).then(({ text, size }) => ({ text, size })),
      updateNone: () => notes.update({ where: { text: 'no such' }, data: { size: 10 } }),
      updateMany: () => notes.updateMany({ where: { text: { $startsWith: 'many' } }, data: { size: 7 } }),
      delete: () => notes.delete({ where: { text: 'many 1' } }).then(({ text }) => ({ text })),
      deleteNone: () => notes.delete({ where: { text: 'no such' } }),
      deleteMany: () => notes.deleteMany({ where: { text: { $startsWith: 'many' } } }),
      unknown: () => notes.findMany({ where: { nothing: 1 } }),
      noData: () => notes.create({}),
      noWhere: () => notes.update({ data: { size: 1 } }),
    };
    const result = await cases[ctx.params.name]();
    return { result: result === undefined ? 'undefined' : result };
  },
  async documents(ctx) {
    const notes = strapi.documents('api::note.note');
    const cases = {
      missing: () => notes.findOne({ documentId: 'nothere' }),
      updateMissing: () => notes.update({ documentId: 'nothere', data: { text: 'x' } }),
      deleteMissing: () => notes.delete({ documentId: 'nothere' }),
      first: () => notes.findFirst({ filters: { text: 'no such' } }),
      count: () => notes.count({ filters: { text: 'no such' } }),
      invalid: () => notes.findMany({ filters: { nothing: 1 } }),
      populate: () => notes.findMany({ populate: { nothing: true } }),
      publish: async () => typeof notes.publish,
      round: async () => {
        const made = await notes.create({ data: { text: 'round' } });
        const changed = await notes.update({ documentId: made.documentId, data: { text: 'round 2' } });
        const deleted = await notes.delete({ documentId: made.documentId });
        return { made: made.trace, changed: changed.text, size: changed.size, deleted: deleted.entries.map(({ text }) => text) };
      },
    };
    const result = await cases[ctx.params.name]();
    return { result: result === undefined ? 'undefined' : result };
  },
  async about() {
    return {
      greeting: strapi.config.get('custom.greeting'),
      nested: strapi.config.get('custom.nested.value'),
      mode: strapi.config.get('custom.mode'),
      missing: strapi.config.get('custom.nope', 'default'),
      service: strapi.service('api::none.none') === undefined,
      plugin: strapi.plugin('none') === undefined,
      type: strapi.contentType('none') === undefined,
      kind: strapi.contentTypes['api::note.note'].kind,
      uid: strapi.getModel('api::note.note').uid,
      attributes: Object.keys(strapi.contentType('api::tag.tag').attributes).filter((name) => ['name', 'articles', 'createdAt'].includes(name)),
      context: strapi.requestContext.get().path,
      actions: ['find', 'findOne', 'create', 'update', 'delete', 'about'].map((name) => typeof strapi.controller('api::note.note')[name]),
      plugins: ['users-permissions', 'upload', 'email', 'i18n'].map((name) => typeof strapi.plugin(name).service),
    };
  },
  async store() {
    const store = strapi.store({ type: 'plugin', name: 'own-code' });
    const before = await store.get({ key: 'visits' });
    await store.set({ key: 'visits', value: { count: ((before && before.count) || 0) + 1 } });
    return { before, after: await store.get({ key: 'visits' }) };
  },
}));
