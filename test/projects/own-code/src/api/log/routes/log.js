module.exports = require("@strapi/strapi").factories.createCoreRouter("api::log.log");
