'use strict';
module.exports = {
  routes: [
    { method: 'POST', path: '/probe', handler: 'probe.run', config: { auth: false } },
    { method: 'POST', path: '/probe/plan', handler: 'probe.plan', config: { auth: false } },
    { method: 'POST', path: '/probe/rows', handler: 'probe.rows', config: { auth: false } },
  ],
};
