module.exports = { routes: [{ method: 'GET', path: '/customs/hello', handler: 'custom.hello', config: { auth: false } }, { method: 'POST', path: '/customs', handler: 'custom.create' }] };
