/** Path of the archive that `scripts/embed-admin.ts` embeds into the executable. */
declare module "*/admin.tar" {
  const path: string;
  export default path;
}
