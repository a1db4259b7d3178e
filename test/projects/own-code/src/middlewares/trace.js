'use strict';
module.exports = (config) => async (ctx, next) => {
  ctx.state.trace = [...(ctx.state.trace || []), `global ${config.word || ''}`.trim()];
  await next();
};
