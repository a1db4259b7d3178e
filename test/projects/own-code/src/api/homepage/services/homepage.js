'use strict';
const { createCoreService } = require('@strapi/strapi').factories;
module.exports = createCoreService('api::homepage.homepage', ({ strapi }) => ({
  async createOrUpdate(params) {
    const result = await super.createOrUpdate({ ...params, data: { ...params.data, visits: (params.data.visits || 0) + 100 } });
    return result;
  },
}));
