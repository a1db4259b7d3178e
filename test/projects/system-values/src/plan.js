'use strict';
let plan = {};

/** Dates are written as `Date:2001-02-03T04:05:06Z`. */
const parsed = (value) => {
  if (typeof value === 'string' && value.startsWith('Date:')) return new Date(value.slice(5));
  if (value === '$undefined') return undefined;
  if (Array.isArray(value)) return value.map(parsed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, parsed(inner)]));
};

/** The values for an event: with a list, one entry per call. */
const valuesFor = (moment, uid, name) => {
  if (plan.uid !== uid) return {};
  const values = (plan[moment] || {})[name];
  return parsed((Array.isArray(values) ? values.shift() : values) || {});
};

module.exports = { parsed, valuesFor, setPlan: (next = {}) => { plan = next; } };
