'use strict';
module.exports = () => async (ctx, next) => {
  await next();
  ctx.set('X-Stamp', `${ctx.method} ${ctx.status}`);
  if (ctx.query.wrap === 'yes' && ctx.body && typeof ctx.body === 'object') ctx.body = { wrapped: ctx.body };
};
