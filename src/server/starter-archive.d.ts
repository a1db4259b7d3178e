/** Path of the archive that `scripts/embed-starter.ts` embeds into the executable. */
declare module "*/starter.tar.gz" {
  const path: string;
  export default path;
}
