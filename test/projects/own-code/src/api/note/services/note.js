module.exports = require("@strapi/strapi").factories.createCoreService("api::note.note");
