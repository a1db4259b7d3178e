'use strict';
module.exports = {
  register({ strapi }) {
    strapi.documents.use(async (context, next) => {
      if (context.uid === 'api::note.note' && context.action === 'create') {
        context.params.data.trace = [...(context.params.data.trace || []), 'documents'];
      }
      if (context.uid === 'api::author.author' && context.action === 'update' && context.params.data.age > 150) {
        const { errors } = require('@strapi/utils');
        throw new errors.ValidationError('too old', { age: context.params.data.age });
      }
      const result = await next();
      if (context.uid === 'api::tag.tag' && context.action === 'findMany') {
        return result.map((tag) => ({ ...tag, found: context.params.marker || 'plain' }));
      }
      return result;
    });
    strapi.server.routes([
      { method: 'GET', path: '/outside', handler: (ctx) => { ctx.body = { outside: true }; }, config: { auth: false } },
      { method: 'GET', path: '/api/articles/from-register', handler: (ctx) => ({ register: true }), config: { auth: false } },
    ]);
  },
  async bootstrap({ strapi }) {
    strapi.db.lifecycles.subscribe({
      models: ['api::note.note'],
      beforeCreate(event) {
        event.params.data.trace = [...(event.params.data.trace || []), 'subscriber'];
        event.state.begun = true;
      },
      async afterCreate(event) {
        await strapi.db.query('api::log.log').create({
          data: { action: event.action, uid: event.model.uid, detail: { begun: event.state.begun, id: typeof event.result.id } },
        });
      },
    });
    if ((await strapi.db.query('api::author.author').count()) === 0) {
      const author = await strapi.documents('api::author.author').create({ data: { name: 'Ada', email: 'ada@example.com', age: 36 } });
      await strapi.documents('api::author.author').create({ data: { name: 'Bert', email: 'bert@example.com', age: 50 } });
      const tag = await strapi.documents('api::tag.tag').create({ data: { name: 'first' } });
      await strapi.documents('api::article.article').create({
        data: { title: 'Seeded article', secret: 'hidden', author: author.documentId, tags: [tag.documentId], seo: { metaTitle: 'Seed', hidden: 'h' } },
        status: 'published',
      });
      await strapi.documents('api::article.article').create({ data: { title: 'Only a draft', author: author.documentId } });
      await strapi.documents('api::stock.stock').create({ data: { name: 'apples' }, status: 'published' });
    }
    const role = await strapi.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
    const action = 'api::log.log.findOne';
    const granted = await strapi.query('plugin::users-permissions.permission').findOne({ where: { action, role: role.id } });
    if (!granted) await strapi.query('plugin::users-permissions.permission').create({ data: { action, role: role.id } });
  },
};
