/** `strapi.hook(name)`: functions that code registers under a name, and calls in their order. */
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

/** The hooks by name, with those of the reference's start: schemas are synchronized before code runs. */
export function createHooks() {
  const hooks: Record<string, unknown> = {
    "strapi::content-types.beforeSync": createHook(),
    "strapi::content-types.afterSync": createHook(),
  };
  return { hooks, hook: (name: string): unknown => hooks[name] };
}
