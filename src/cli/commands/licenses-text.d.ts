/** The text that `scripts/embed-licenses.ts` makes: its path, in an executable. */
declare module "*/licenses.txt" {
  const path: string;
  export default path;
}
