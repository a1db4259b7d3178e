/** Files that are not imported as code: what is imported is their path, in the executable as on disk. */
declare module "*.min.js" {
  const path: string;
  export default path;
}
declare module "*.min.css" {
  const path: string;
  export default path;
}
declare module "*/start.js" {
  const path: string;
  export default path;
}
