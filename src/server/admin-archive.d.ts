/** The archive that `scripts/embed-admin.ts` makes: its path, in an executable. */
declare module "*/admin.tar" {
  const path: string;
  export default path;
}
