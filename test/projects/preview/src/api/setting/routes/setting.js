module.exports = require("@strapi/strapi").factories.createCoreRouter("api::setting.setting");
