module.exports = require('@strapi/strapi').factories.createCoreRouter('api::stock.stock');
