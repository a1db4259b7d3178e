/**
 * The actions that routes call. As in Strapi, routes are composed before `bootstrap`: an action that `bootstrap`
 * replaces in its controller is not the one that requests reach.
 */
import type { Registry } from "../loader/registry.ts";

interface Composed {
  readonly controller: object;
  /** A copy of the controller, with the actions of that time. */
  readonly actions: Readonly<Record<string, unknown>>;
}

const copyController = (controller: object): Composed["actions"] =>
  Object.create(Object.getPrototypeOf(controller), Object.getOwnPropertyDescriptors(controller));

export function composeActions(controllers: Registry) {
  const composed = new Map<string, Composed>();
  for (const uid of controllers.keys()) {
    try {
      const controller = controllers.get(uid);
      if (typeof controller !== "object" || controller === null) continue;
      composed.set(uid, { controller, actions: copyController(controller) });
    } catch {
      // created again, and reported, for the routes that name it
    }
  }

  /** The controller with the first of these uids, and its action. */
  return (uids: readonly string[], name: string): { controller: object; action: unknown } | undefined => {
    const uid = uids.find((candidate) => controllers.has(candidate));
    if (uid === undefined) return undefined;
    const known = composed.get(uid);
    const controller = known?.controller ?? controllers.get(uid);
    if (typeof controller !== "object" || controller === null) return undefined;
    const action = known?.actions[name] ?? (controller as Record<string, unknown>)[name];
    return { controller, action };
  };
}

export type ComposedActions = ReturnType<typeof composeActions>;
