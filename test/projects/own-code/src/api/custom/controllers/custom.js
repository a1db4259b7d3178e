'use strict';
module.exports = {
  hello: async (ctx) => ({ hello: ctx.query.name || 'world' }),
  async create(ctx) {
    const made = await strapi.service('api::custom.custom').make(ctx.request.body);
    ctx.created(made);
  },
};
