/** The same build makes the same names of files, whatever server it reads from. */
export default { output: "export", generateBuildId: () => "site", turbopack: { root: import.meta.dirname } };
