'use strict';
const { createCoreController } = require('@strapi/strapi').factories;
module.exports = createCoreController('api::homepage.homepage', {
  async find(ctx) {
    const response = await super.find(ctx);
    if (!response) return { data: null, meta: { empty: true } };
    return { ...response, meta: { own: true } };
  },
});
