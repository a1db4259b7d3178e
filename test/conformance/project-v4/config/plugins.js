module.exports = () => ({
  graphql: {
    enabled: true,
    config: {
      endpoint: '/graphql', shadowCRUD: true, landingPage: false, depthLimit: 30, amountLimit: 1000, maxLimit: 100,
      v4CompatibilityMode: true, apolloServer: { introspection: true },
    },
  },
  'users-permissions': { config: { jwtSecret: 'jwtsecret', ratelimit: { enabled: false } } },
});
