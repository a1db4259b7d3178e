'use strict';
module.exports = (config, { strapi }) => async (ctx, next) => {
  ctx.query = { ...ctx.query, populate: { articles: { fields: ['title', 'slug'], sort: 'title:asc' } } };
  await next();
  if (ctx.body && ctx.body.meta) ctx.body.meta.route = ctx.state.route.handler;
};
