'use strict';
module.exports = (policyContext, config, { strapi }) => {
  const { data } = policyContext.request.body || {};
  policyContext.state.policySeen = policyContext.is('koa');
  return Boolean(data && data.name && data.name !== 'nobody');
};
