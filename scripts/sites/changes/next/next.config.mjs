/** The same build makes the same names of files. */
export default { cacheComponents: true, generateBuildId: () => "site", turbopack: { root: import.meta.dirname } };
