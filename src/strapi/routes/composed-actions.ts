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

export class ComposedActions {
  readonly #controllers: Registry;
  readonly #composed = new Map<string, Composed>();

  constructor(controllers: Registry) {
    this.#controllers = controllers;
    for (const uid of controllers.keys()) {
      try {
        const controller = controllers.get(uid);
        if (typeof controller !== "object" || controller === null) continue;
        this.#composed.set(uid, { controller, actions: copyController(controller) });
      } catch {
        // created again, and reported, for the routes that name it
      }
    }
  }

  /** The controller with the first of these uids, and its action. */
  find(uids: readonly string[], name: string): { controller: object; action: unknown } | undefined {
    const uid = uids.find((candidate) => this.#controllers.has(candidate));
    if (uid === undefined) return undefined;
    const composed = this.#composed.get(uid);
    const controller = composed?.controller ?? this.#controllers.get(uid);
    if (typeof controller !== "object" || controller === null) return undefined;
    const action = composed?.actions[name] ?? (controller as Record<string, unknown>)[name];
    return { controller, action };
  }
}
