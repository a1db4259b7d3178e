const { sourceNodes } = require("galley-cms/gatsby");

exports.sourceNodes = sourceNodes({
  types: [{ type: "api::article.article", path: "articles", populate: { author: true } }],
});
