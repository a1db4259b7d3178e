'use strict';
// answers before the server's own middlewares, or not at all
module.exports = (config) => async (ctx, next) => {
  if (ctx.path === config.path) {
    ctx.status = 299;
    ctx.body = { early: true, query: ctx.querystring };
    return;
  }
  await next();
};
