module.exports = require("@strapi/strapi").factories.createCoreService("api::order.order");
