module.exports = { type: 'content-api', routes: [{ method: 'GET', path: '/customs/typed', handler: 'custom.hello', config: { auth: false } }] };
