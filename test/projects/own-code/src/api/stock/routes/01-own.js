module.exports = {
  routes: [
    { method: 'GET', path: '/stocks/take/:name', handler: 'stock.take', config: { auth: false } },
    { method: 'GET', path: '/stocks/take-published/:name', handler: 'stock.takePublished', config: { auth: false } },
    { method: 'GET', path: '/stocks/make/:name', handler: 'stock.make', config: { auth: false } },
    { method: 'GET', path: '/stocks/publish/:name', handler: 'stock.publish', config: { auth: false } },
    { method: 'GET', path: '/stocks/rows/:name', handler: 'stock.rows', config: { auth: false } },
    { method: 'GET', path: '/stocks/by-document', handler: 'stock.byDocument', config: { auth: false } },
  ],
};
