'use strict';
module.exports = (plugin) => {
  plugin.controllers.user.me = async (ctx) => {
    if (!ctx.state.user) return ctx.unauthorized();
    const user = await strapi.db.query('plugin::users-permissions.user').findOne({ where: { id: ctx.state.user.id }, populate: ['role'] });
    ctx.body = { me: user.username, role: user.role.name, keys: Object.keys(user).includes('password') };
  };
  const make = plugin.controllers.auth;
  plugin.controllers.auth = ({ strapi }) => {
    const auth = make({ strapi });
    const { callback } = auth;
    return {
      ...auth,
      async callback(ctx) {
        await callback(ctx);
        const body = ctx.body;
        if (body && body.jwt) ctx.body = { jwt: body.jwt, name: body.user.username, extended: true };
      },
    };
  };
  return plugin;
};
