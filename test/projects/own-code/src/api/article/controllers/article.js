'use strict';
const { createCoreController } = require('@strapi/strapi').factories;
const { errors } = require('@strapi/utils');
const { ApplicationError, ForbiddenError, NotFoundError, ValidationError } = errors;

module.exports = createCoreController('api::article.article', ({ strapi }) => ({
  async find(ctx) {
    const { data, meta } = await super.find(ctx);
    return { data, meta: { ...meta, own: ctx.query.sort || null } };
  },
  async findOne(ctx) {
    const response = await super.findOne(ctx);
    if (response && response.data) response.data.extra = 'own findOne';
    return response;
  },
  async create(ctx) {
    if (ctx.request.body.data && ctx.request.body.data.title === 'too short') return ctx.badRequest('title is too short', { min: 20 });
    const response = await super.create(ctx);
    return { ...response, meta: { status: ctx.status } };
  },
  async bySlug(ctx) {
    const { slug } = ctx.params;
    const [found] = await strapi.documents('api::article.article').findMany({ filters: { slug }, status: 'published', populate: ['author', 'seo'] });
    if (!found) return ctx.notFound('No article');
    return this.transformResponse(await this.sanitizeOutput(found, ctx));
  },
  async raw() {
    return strapi.documents('api::article.article').findMany({ status: 'published', populate: { author: true, seo: true }, sort: 'title:asc' });
  },
  async rawDrafts() {
    return strapi.documents('api::article.article').findMany({ fields: ['title'], sort: 'title:asc' });
  },
  async sanitized(ctx) {
    const query = await this.sanitizeQuery(ctx);
    return { query };
  },
  async validated(ctx) {
    await this.validateQuery(ctx);
    return { ok: true };
  },
  async service(ctx) {
    return strapi.service('api::article.article').find({ ...ctx.query });
  },
  async serviceOne(ctx) {
    return strapi.service('api::article.article').titled(ctx.params.title);
  },
  value(ctx) {
    const values = { string: 'text', html: '<p>x</p>', number: 5, yes: true, list: [1, { a: 2 }], object: { a: null }, empty: '', nothing: null, zero: 0, no: false };
    return values[ctx.params.kind];
  },
  async answer(ctx) {
    const { kind } = ctx.params;
    const answers = {
      body: () => { ctx.body = { set: true }; return { returned: true }; },
      status: () => { ctx.status = 202; return { accepted: true }; },
      send: () => { ctx.status = 429; return ctx.send({ sent: true }); },
      send418: () => ctx.send({ sent: true }, 418),
      created: () => ctx.created({ made: 1 }),
      deleted: () => ctx.deleted({ gone: 1 }),
      deletedNothing: () => ctx.deleted(),
      badRequest: () => ctx.badRequest('bad', { x: 1 }),
      badRequestPlain: () => ctx.badRequest(),
      badRequestObject: () => ctx.badRequest({ a: 1 }),
      goesOn: () => { ctx.badRequest('first'); ctx.body = { second: true }; },
      unauthorized: () => ctx.unauthorized('who?'),
      forbidden: () => ctx.forbidden('not you', { why: 'no' }),
      notFound: () => ctx.notFound(),
      conflict: () => ctx.conflict('twice'),
      locked: () => ctx.locked('closed'),
      teapot: () => ctx.imATeapot('tea'),
      tooMany: () => ctx.tooManyRequests('slow down'),
      badGateway: () => ctx.badGateway('up there'),
      internal: () => ctx.internalServerError('shown'),
      notImplemented: () => ctx.notImplemented('later'),
      throw400: () => ctx.throw(400, 'thrown', { k: 1 }),
      throw404: () => ctx.throw(404),
      throw500: () => ctx.throw(500, 'hidden'),
      assert: () => ctx.assert(false, 403, 'asserted'),
      accepted: () => ctx.accepted({}),
      type: () => { ctx.type = 'text/csv'; ctx.body = 'a,b'; },
      html: () => { ctx.type = 'html'; ctx.body = '<h1>x</h1>'; },
      buffer: () => { ctx.body = Buffer.from('bytes'); },
      header: () => { ctx.set('X-Own', 'yes'); ctx.append('X-More', 'a'); return { ok: 1 }; },
      headers: () => { ctx.set({ 'X-One': '1', 'X-Two': '2' }); return { ok: 1 }; },
      redirect: () => ctx.redirect('https://example.com/there'),
      redirect301: () => { ctx.status = 301; ctx.redirect('/here'); },
      noContent: () => { ctx.status = 204; },
      nullBody: () => { ctx.body = null; },
      cookie: () => { ctx.cookies.set('own', 'value', { httpOnly: true }); return { cookie: true }; },
    };
    return answers[kind]();
  },
  fail(ctx) {
    const failures = {
      type: () => undefined.x,
      plain: () => { throw new Error('plain'); },
      text: () => { throw 'text'; },
      status: () => { throw Object.assign(new Error('with status'), { status: 409 }); },
      status500: () => { throw Object.assign(new Error('with status'), { status: 503 }); },
      application: () => { throw new ApplicationError('app', { foo: 1 }); },
      applicationPlain: () => { throw new ApplicationError(); },
      validation: () => { throw new ValidationError('invalid', { errors: [{ path: ['a'] }] }); },
      notFound: () => { throw new NotFoundError('nowhere'); },
      notFoundPlain: () => { throw new NotFoundError(); },
      forbidden: () => { throw new ForbiddenError('forb'); },
      unauthorized: () => { throw new errors.UnauthorizedError('unauth'); },
      policy: () => { throw new errors.PolicyError('pol', { policy: 'p' }); },
      notImplemented: () => { throw new errors.NotImplementedError('not yet'); },
      tooLarge: () => { throw new errors.PayloadTooLargeError('big'); },
      rate: () => { throw new errors.RateLimitError('often'); },
      pagination: () => { throw new errors.PaginationError('pages'); },
    };
    return failures[ctx.params.kind]();
  },
  async rejects() {
    await Promise.reject(new ApplicationError('rejected'));
  },
  async replacedQuery(ctx) {
    ctx.query = { filters: { title: { $contains: 'e' } }, fields: ['title'], pagination: { pageSize: 2 }, sort: ['title:desc'] };
    return super.find(ctx);
  },
  async superMissing(ctx) {
    ctx.params = { id: 'nothere' };
    const found = await super.findOne(ctx);
    return { found: found === null ? 'null' : typeof found };
  },
  async superUpdateMissing(ctx) {
    ctx.params = { id: 'nothere' };
    ctx.request.body = { data: { title: 'x' } };
    const updated = await super.update(ctx);
    return { updated: updated === null ? 'null' : typeof updated };
  },
  async superDeleteMissing(ctx) {
    ctx.params = { id: 'nothere' };
    const deleted = await super.delete(ctx);
    return { deleted: typeof deleted, status: ctx.status };
  },
  async superDestructure(ctx) {
    ctx.params = { id: 'nothere' };
    const { data } = await super.findOne(ctx);
    return data;
  },
}));
