/** Path of the archive that `scripts/embed-data.ts` embeds into the executable. */
declare module "*/data.tar.gz" {
  const path: string;
  export default path;
}
