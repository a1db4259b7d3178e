'use strict';
const AsyncFunction = (async () => {}).constructor;
const ROLLBACK = new Error('rolled back');
const MINUTE = 60000;

/** Times around now, and generated document ids, are the same in all recordings. */
const shownText = (text) => {
  if (/^[a-z0-9]{24}$/.test(text)) return 'document';
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && Math.abs(Date.now() - new Date(text)) < 10 * MINUTE) return 'now';
  return text;
};

const shown = (value, depth = 0) => {
  if (value === undefined) return '<undefined>';
  if (typeof value === 'function') return '<function>';
  if (typeof value === 'symbol' || typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return shownText(value);
  if (typeof value === 'number' && Math.abs(Date.now() - value) < 10 * MINUTE) return 'now';
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return { date: shownText(value.toISOString()) };
  if (value instanceof Error) return { error: value.name, message: value.message };
  if (depth > 12) return '<deep>';
  if (Array.isArray(value)) return value.map((item) => shown(item, depth + 1));
  if (value instanceof Map || value instanceof Set) return { entries: shown([...value], depth + 1) };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(inner, depth + 1)]));
};

module.exports = {
  /** Evaluates code and rolls back what it wrote, unless the request says `keep`. */
  async run(ctx) {
    const { code, keep } = ctx.request.body;
    let value;
    let isDone = false;
    const evaluate = async () => {
      value = await new AsyncFunction('strapi', 'q', 'require', code)(strapi, (uid) => strapi.db.query(uid.includes('::') || uid.includes('.') ? uid : `api::${uid}.${uid}`), require);
      isDone = true;
    };
    try {
      if (keep) await evaluate();
      else
        await strapi.db.transaction(async () => {
          await evaluate();
          throw ROLLBACK;
        });
    } catch (error) {
      if (error !== ROLLBACK) {
        const { name, message, details, code: ofDatabase } = error;
        // without the SQL statement
        const said = name === 'SqliteError' ? message.split(' - ').at(-1).replace(/\b_?t\d+\./, '') : message;
        ctx.body = { error: name, message: said, ...(details === undefined ? {} : { details: shown(details) }), ...(ofDatabase === undefined ? {} : { code: ofDatabase }) };
        return;
      }
    }
    ctx.body = { done: isDone, value: shown(value) };
  },
};
