module.exports = ({ env }) => ({ greeting: 'hello', nested: { value: 7 }, mode: env('UNSET_NAME', 'fallback') });
