/** Installed packages that code has loaded. They are kept when changed code is served. */
import { createRequire } from "node:module";
import { join, sep } from "node:path";

const PACKAGES = `${sep}node_modules${sep}`;
/** Those of the server, if it runs from source. */
const OWN_PACKAGES = join(import.meta.dir, `../../..${PACKAGES}`);

/** Whether a package has thrown an error, or its cause. */
export function isFromPackage(error: unknown): boolean {
  if (error instanceof Error && error.cause) return isFromPackage(error.cause);
  const [, frame = ""] = error instanceof Error ? (error.stack?.split(/\n\s*(?=at )/) ?? []) : [];
  return frame.includes(PACKAGES);
}

/** The next `require` of each package loads it again. */
export function forgetPackages(): void {
  const { cache } = createRequire(import.meta.path);
  for (const file of Object.keys(cache))
    if (file.includes(PACKAGES) && !file.startsWith(OWN_PACKAGES)) delete cache[file];
}
