'use strict';
const { errors } = require('@strapi/utils');
module.exports = (policyContext) => {
  const { id } = policyContext.params;
  if (id === 'policy') throw new errors.PolicyError('own words', { policy: 'throws' });
  if (id === 'forbidden') throw new errors.ForbiddenError('lost words');
  if (id === 'unauthorized') throw new errors.UnauthorizedError('lost words');
  if (id === 'application') throw new errors.ApplicationError('app words');
  if (id === 'plain') throw new Error('plain');
  if (id === 'null') return null;
  if (id === 'zero') return 0;
  if (id === 'text') return 'x';
  return undefined;
};
