'use strict';
module.exports = ({ strapi }) => ({
  async make(body) {
    const made = await strapi.documents('api::custom.custom').create({ data: { name: body.name } });
    return { name: made.name, locale: made.locale };
  },
});
