/** Files that are not imported as code: what is imported is their path, in the executable as on disk. */
declare module "*/swagger-ui-bundle.js" {
  const path: string;
  export default path;
}
declare module "*/swagger-ui.css" {
  const path: string;
  export default path;
}
