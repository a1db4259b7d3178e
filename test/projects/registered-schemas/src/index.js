'use strict';
const field = (name) => ({ [name]: { type: 'string' } });
module.exports = {
  register({ strapi }) {
    strapi.contentType('api::ant.ant').attributes.added = { type: 'string', required: true };
    strapi.contentTypes['api::bee.bee'].attributes.added = { type: 'string' };
    strapi.get('content-types').extend('api::cat.cat', (type) => { type.attributes.added = { type: 'string' }; return type; });
    strapi.get('content-types').extend('api::dog.dog', (type) => ({ ...type, attributes: { ...type.attributes, ...field('added') } }));
    strapi.components['part.leg'].attributes.added = { type: 'string' };
    strapi.contentType('api::eel.eel').options.draftAndPublish = true;
    delete strapi.contentType('api::fox.fox').attributes.old;
    strapi.contentType('api::gnu.gnu').attributes.old.private = true;
    strapi.contentType('api::gnu.gnu').attributes.name.required = true;
    strapi.contentType('api::gnu.gnu').attributes.name.type = 'integer';
    strapi.contentType('api::hen.hen').attributes.bee = { type: 'relation', relation: 'manyToOne', target: 'api::bee.bee' };
    strapi.getModel('api::hen.hen').attributes.color = { type: 'enumeration', enum: ['red', 'blue'] };
    strapi.plugin('users-permissions').contentType('user').attributes.nick = { type: 'string' };
    strapi.plugin('upload').contentTypes.file.attributes.credit = { type: 'string' };
  },
};
