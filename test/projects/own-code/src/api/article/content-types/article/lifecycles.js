'use strict';
const slugOf = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
module.exports = {
  beforeCreate(event) {
    const { data } = event.params;
    if (data.title === 'plain error') throw new Error('plain');
    if (!data.slug && data.title) data.slug = slugOf(data.title);
    if (data.title === 'never published' && data.publishedAt) {
      const { ApplicationError } = require('@strapi/utils').errors;
      throw new ApplicationError('must stay a draft', { title: data.title });
    }
  },
  beforeUpdate(event) {
    const { data, where } = event.params;
    if (data.title === 'bad update') {
      const { YupValidationError } = require('@strapi/utils').errors;
      throw new YupValidationError({ value: data.title, path: 'title', message: 'bad title', inner: [] }, 'There was a problem');
    }
    if (data.body === 'where?') data.body = Object.keys(where).join(',');
  },
  afterFindOne(event) {
    if (event.result && event.result.title === 'Annotated') event.result.note = 'seen by afterFindOne';
  },
  beforeDelete(event) {
    if (event.params.where.id === -1) throw new Error('never');
  },
};
