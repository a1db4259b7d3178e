module.exports = { jsxRuntime: "automatic" };
