/** `strapi.hook(name)`: functions that code registers by name, and calls in order. */
type Handler = (context: unknown) => unknown;

interface Hook {
  readonly register: (handler: Handler) => Hook;
  readonly delete: (handler: Handler) => Hook;
  readonly getHandlers: () => Handler[];
  readonly call: (context: unknown) => Promise<void>;
}

function createHook(): Hook {
  const handlers = new Set<Handler>();
  const hook: Hook = {
    register: (handler) => {
      handlers.add(handler);
      return hook;
    },
    delete: (handler) => {
      handlers.delete(handler);
      return hook;
    },
    getHandlers: () => [...handlers],
    call: async (context) => {
      for (const handler of handlers) await handler(context);
    },
  };
  return hook;
}

/** Hooks by name. Those of Strapi's schema synchronization are never called, since it is done before code runs. */
export function createHooks() {
  const hooks: Record<string, unknown> = {
    "strapi::content-types.beforeSync": createHook(),
    "strapi::content-types.afterSync": createHook(),
  };
  return { hooks, hook: (name: string): unknown => hooks[name] };
}
