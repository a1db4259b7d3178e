'use strict';
const { parsed, setPlan } = require('../../../plan');

const TIMES = { createdAt: 'created', updatedAt: 'updated', publishedAt: 'published' };
const timeOf = (value) => (value === null || value === undefined ? String(value) : Math.abs(Date.now() - new Date(value)) < 60000 ? 'now' : new Date(value).toISOString().slice(0, 10));
/** Times under other names, which recordings do not leave out; ids only where the code has set them. */
const shown = (value) => {
  if (Array.isArray(value)) return value.map(shown);
  if (value === undefined) return 'undefined';
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => {
    if (TIMES[key]) return [[TIMES[key], timeOf(inner)]];
    if (inner === null && key !== 'locale') return [];
    if (key === 'id') return inner === 9001 ? [['ownId', inner]] : [];
    if (key === 'ids') return [[key, inner.map((id) => (id === 9001 ? id : 'id'))]];
    return [[key, shown(inner)]];
  }));
};

const call = async ([layer, action, ...args], uid) => {
  const params = args.map(parsed);
  if (layer === 'documents') return strapi.documents(uid)[action](...params);
  if (layer === 'query') return strapi.db.query(uid)[action](...params);
  if (layer === 'entity') return strapi.entityService[action](uid, ...params);
  if (layer === 'service') return strapi.service(uid)[action](...params);
  throw new Error(layer);
};

const rowsOf = async (uid) => (await strapi.db.query(uid).findMany({ orderBy: { id: 'asc' } })).map(shown);

module.exports = {
  /** Runs steps with values that hooks and middlewares set, then shows all rows, and deletes them. */
  async run(ctx) {
    const { uid, on, use, steps } = ctx.request.body;
    const results = [];
    let saved;
    setPlan({ uid, on, use });
    for (const step of steps) {
      const filled = JSON.parse(JSON.stringify(step).replaceAll('"$doc"', JSON.stringify(saved ?? null)));
      try {
        const result = await call(filled, uid);
        saved ??= result && result.documentId;
        results.push(shown(result));
      } catch (error) {
        results.push({ error: error.name, message: error.message });
      }
    }
    setPlan();
    const rows = await rowsOf(uid);
    await strapi.db.query(uid).deleteMany({});
    return { results, rows };
  },
  async plan(ctx) {
    setPlan(ctx.request.body);
    return { done: true };
  },
  async rows(ctx) {
    setPlan();
    const rows = await rowsOf(ctx.request.body.uid);
    await strapi.db.query(ctx.request.body.uid).deleteMany({});
    return { rows };
  },
};
