module.exports = {
  register({ strapi }) {
    strapi.customFields.register({ name: "color", type: "string" });
    strapi.customFields.register({ name: "memo", type: "richtext" });
    strapi.customFields.register({ name: "words", type: "json" });
    strapi.customFields.register({ name: "handle", type: "uid" });
    strapi.customFields.register({ name: "amount", type: "integer" });
  },
};
