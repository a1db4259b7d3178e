'use strict';
module.exports = {
  routes: [
    { method: 'GET', path: '/articles/slug/:slug', handler: 'article.bySlug', config: { auth: false } },
    { method: 'GET', path: '/articles/raw', handler: 'article.raw', config: { auth: false } },
    { method: 'GET', path: '/articles/raw-drafts', handler: 'article.rawDrafts', config: { auth: false } },
    { method: 'GET', path: '/articles/sanitized', handler: 'article.sanitized', config: { auth: false } },
    { method: 'GET', path: '/articles/validated', handler: 'article.validated', config: { auth: false } },
    { method: 'GET', path: '/articles/service', handler: 'article.service', config: { auth: false } },
    { method: 'GET', path: '/articles/titled/:title', handler: 'article.serviceOne', config: { auth: false } },
    { method: 'GET', path: '/articles/value/:kind', handler: 'article.value', config: { auth: false } },
    { method: 'GET', path: '/articles/answer/:kind', handler: 'article.answer', config: { auth: false } },
    { method: 'GET', path: '/articles/fail/:kind', handler: 'article.fail', config: { auth: false } },
    { method: 'GET', path: '/articles/rejects', handler: 'article.rejects', config: { auth: false } },
    { method: 'GET', path: '/articles/replaced-query', handler: 'article.replacedQuery', config: { auth: false } },
    { method: 'GET', path: '/articles/super-missing', handler: 'article.superMissing', config: { auth: false } },
    { method: 'GET', path: '/articles/super-update-missing', handler: 'article.superUpdateMissing', config: { auth: false } },
    { method: 'GET', path: '/articles/super-delete-missing', handler: 'article.superDeleteMissing', config: { auth: false } },
    { method: 'GET', path: '/articles/super-destructure', handler: 'article.superDestructure', config: { auth: false } },
  ],
};
