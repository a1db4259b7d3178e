/** Files that are imported as a path, in the executable as on disk. */
declare module "*/swagger-ui-bundle.js" {
  const path: string;
  export default path;
}
declare module "*/swagger-ui.css" {
  const path: string;
  export default path;
}
