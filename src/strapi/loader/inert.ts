/** Objects for rehearsals: they can be read, called, changed and iterated, without any effect. */

export const inert: object = new Proxy(function inert() {}, {
  // not a promise, so that it can be awaited
  get: (_, name) => (name === "then" ? undefined : name === Symbol.iterator ? noItems : (asText(name) ?? inert)),
  set: () => true,
  apply: () => inert,
  construct: () => inert,
});
const noItems = () => [][Symbol.iterator]();
const asText = (name: string | symbol): (() => string) | undefined =>
  name === Symbol.toPrimitive || name === "toString" ? () => "" : undefined;

/** An object whose missing members are inert. */
export const withInertMembers = (own: Record<string, unknown> = {}): Record<string, unknown> =>
  new Proxy(own, {
    get: (members, name) =>
      Object.hasOwn(members, name) ? members[name as string] : name === "then" ? undefined : inert,
  });

/** A rehearsal of an asynchronous function that takes longer is not waited for. */
export const MAX_WAIT_MS = 2000;
