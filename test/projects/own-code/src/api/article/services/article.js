'use strict';
const { createCoreService } = require('@strapi/strapi').factories;
module.exports = createCoreService('api::article.article', ({ strapi }) => ({
  async titled(title) {
    const { results } = await super.find({ filters: { title: { $containsi: title } }, fields: ['title'] });
    return { titles: results.map((item) => item.title), uid: this.contentType ? this.contentType.uid : 'none' };
  },
}));
