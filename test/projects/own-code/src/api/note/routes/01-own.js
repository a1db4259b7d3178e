'use strict';
module.exports = {
  routes: [
    { method: 'GET', path: '/notes/trace/:word', handler: 'note.trace', config: { auth: false, middlewares: [{ name: 'global::trace', config: { word: 'a' } }, 'global::trace', 'global::trace'] } },
    { method: 'GET', path: '/notes/numbers/:number(\\d+)', handler: 'note.numbers', config: { auth: false } },
    { method: 'GET', path: '/notes/optional/:a?', handler: 'note.optional', config: { auth: false } },
    { method: 'ALL', path: '/notes/echo', handler: 'note.echo', config: { auth: false } },
    { method: 'GET', path: '/notes/transaction', handler: 'note.transaction', config: { auth: false } },
    { method: 'GET', path: '/notes/query/:name', handler: 'note.query', config: { auth: false } },
    { method: 'GET', path: '/notes/documents/:name', handler: 'note.documents', config: { auth: false } },
    { method: 'GET', path: '/notes/about', handler: 'api::note.note.about', config: { auth: false } },
    { method: 'GET', path: '/notes/store', handler: 'note.store', config: { auth: false } },
    { method: 'GET', path: '/notes/needs-right', handler: 'note.about', config: {} },
    { method: 'GET', path: '/notes/function', handler: async (ctx) => ({ handled: 'by a function' }), config: { auth: false } },
    { method: 'GET', path: '/notes/chain', handler: [(ctx, next) => { ctx.state.chained = 1; return next(); }, (ctx) => ({ chained: ctx.state.chained })], config: { auth: false } },
    { method: 'GET', path: '/notes/function-closed', handler: async () => ({ handled: true }) },
  ],
};
