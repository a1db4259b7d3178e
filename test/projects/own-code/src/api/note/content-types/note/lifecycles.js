'use strict';
module.exports = {
  beforeCreate(event) {
    event.params.data.trace = [...(event.params.data.trace || []), 'lifecycles'];
    if (event.params.data.text) event.params.data.size = event.params.data.text.length;
  },
  async beforeUpdate(event) {
    if (event.params.data.text === 'nested failure') {
      await strapi.documents('api::log.log').create({ data: { action: 'before failure' } });
      throw new Error('after writing');
    }
  },
  async afterUpdate(event) {
    await strapi.documents('api::log.log').create({ data: { action: 'updated', uid: event.model.uid, detail: Object.keys(event.params.where) } });
  },
  async afterDelete(event) {
    await strapi.documents('api::log.log').create({ data: { action: 'deleted', detail: { text: event.result.text } } });
  },
};
