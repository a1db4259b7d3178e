/** Files that are imported as a path, in the executable as on disk. */
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
