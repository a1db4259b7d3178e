'use strict';
const route = (path, action, method = 'GET') => ({ method, path: `/context${path}`, handler: `context.${action}`, config: { auth: false } });
module.exports = {
  routes: [
    route('/captures/:a/:b*', 'captures'),
    route('/plain', 'captures'),
    route('/files', 'files', 'POST'),
    route('/vary', 'vary'),
    route('/vary-set', 'varySet'),
    route('/cookies', 'cookies'),
    route('/events', 'events'),
    route('/direct', 'direct'),
    route('/throws/:kind', 'throws'),
  ],
};
