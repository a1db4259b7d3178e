'use strict';
const { createCoreRouter } = require('@strapi/strapi').factories;
module.exports = createCoreRouter('api::author.author', {
  config: {
    find: { middlewares: ['api::author.populate', { name: 'global::trace', config: { word: 'find' } }] },
    findOne: { auth: false, middlewares: [(ctx, next) => { ctx.query.populate = { articles: { fields: ['title'] } }; return next(); }] },
    create: { policies: ['is-named', { name: 'global::global-yes', config: { answer: 'yes' } }] },
    update: { policies: [{ name: 'global::global-yes', config: { answer: 'no' } }] },
    delete: { policies: ['api::author.throws'] },
  },
});
