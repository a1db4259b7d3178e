'use strict';
const { valuesFor } = require('./plan');

/** What the data of a hook are: those of one row, or of several. */
const assign = (data, values) => {
  for (const item of Array.isArray(data) ? data : [data]) Object.assign(item, values);
};

module.exports = {
  register({ strapi }) {
    strapi.documents.use(async (context, next) => {
      const values = valuesFor('use', context.uid, context.action);
      if (Object.keys(values).length > 0) context.params.data = { ...context.params.data, ...values };
      return next();
    });
  },
  bootstrap({ strapi }) {
    const names = ['beforeCreate', 'beforeUpdate', 'beforeCreateMany', 'beforeUpdateMany'];
    strapi.db.lifecycles.subscribe(
      Object.fromEntries(names.map((name) => [name, (event) => {
        const values = valuesFor('on', event.model.uid, name);
        if (Object.keys(values).length > 0) assign(event.params.data, values);
      }])),
    );
  },
};
