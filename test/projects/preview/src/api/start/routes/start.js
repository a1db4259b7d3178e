module.exports = require("@strapi/strapi").factories.createCoreRouter("api::start.start");
