/** The archive that `scripts/embed-starter.ts` makes: its path, in an executable. */
declare module "*/starter.tar.gz" {
  const path: string;
  export default path;
}
