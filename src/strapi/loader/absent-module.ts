/** A placeholder for a package or file that does not exist: it can be imported, and any use of it throws. */

export class AbsentError extends Error {
  override readonly name = "AbsentError";
}

/** Read by bundles and promises, not by code. */
const IGNORED_NAMES = new Set<string | symbol>(["__esModule", "then"]);

/** Importing it does not throw, so that code that never uses the package runs. */
export function absentModule(problem: string): object {
  const fail = (): never => {
    throw new AbsentError(problem);
  };
  const get = (_target: object, name: string | symbol): unknown => {
    if (typeof name === "symbol" || IGNORED_NAMES.has(name)) return undefined;
    return name === "default" ? absent : fail();
  };
  // bundles copy the exports, and read other names from the prototype
  const names: object = new Proxy({}, { get });
  const absent: object = new Proxy(function absent() {}, {
    get,
    apply: fail,
    construct: fail,
    getPrototypeOf: () => names,
  });
  return absent;
}
