module.exports = require('@strapi/strapi').factories.createCoreRouter('api::limited.limited', { prefix: '/deep', only: ['find', 'create'] });
