module.exports = { routes: [{ method: 'POST', path: '/run', handler: 'run.run', config: { auth: false } }] };
