'use strict';
module.exports = {
  routes: [
    { method: 'GET', path: '/articles/late', handler: 'article.raw', config: { auth: false } },
    { method: 'GET', path: '/articles/:id/late', handler: 'article.raw', config: { auth: false } },
  ],
};
