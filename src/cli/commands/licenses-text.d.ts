/** Path of the text that `scripts/embed-licenses.ts` embeds into the executable. */
declare module "*/licenses.txt" {
  const path: string;
  export default path;
}
