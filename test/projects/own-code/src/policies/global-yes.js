module.exports = (policyContext, config) => config.answer !== 'no';
