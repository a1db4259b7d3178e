const { STRAPI_URL, STRAPI_TOKEN } = process.env;
const populate = { author: true, category: true, tags: { sort: "name" }, cover: true };

module.exports = {
  jsxRuntime: "automatic",
  plugins: [
    "gatsby-plugin-image",
    "gatsby-plugin-sharp",
    "gatsby-transformer-sharp",
    // for the paths of files that gatsby-source-strapi downloads
    { resolve: "gatsby-source-filesystem", options: { name: "pages", path: `${__dirname}/src/pages` } },
    {
      resolve: "gatsby-source-strapi",
      options: {
        apiURL: STRAPI_URL,
        accessToken: STRAPI_TOKEN,
        version: 5,
        collectionTypes: [{ singularName: "article", queryParams: { populate } }],
        singleTypes: ["site"],
      },
    },
  ],
};
