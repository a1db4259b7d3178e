module.exports = require("@strapi/strapi").factories.createCoreService("api::stock.stock");
