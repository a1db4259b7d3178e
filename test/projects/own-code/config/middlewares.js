module.exports = [
  'strapi::logger',
  'strapi::errors',
  'strapi::security',
  { name: 'global::early', config: { path: '/early' } },
  'strapi::cors',
  'strapi::poweredBy',
  'strapi::query',
  'strapi::body',
  'strapi::session',
  'strapi::favicon',
  'strapi::public',
  'global::stamp',
];
