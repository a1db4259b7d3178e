/** In place of `process.exit` for a project's code, and for its packages: it must not end the process, which serves other requests. */
export function refuseExit(code: unknown = 0): never {
  throw new Error(`process.exit(${String(code)}) was called; the server keeps running`);
}
