/** Members of `strapi` that say which features there are: none of the paid ones, no telemetry, no AI. */

const isEnabled = (): boolean => false;

/** The model context protocol of the reference's administration. */
const mcp = {
  isEnabled,
  isRunning: isEnabled,
  registerTool: () => {},
  registerPrompt: () => {},
  registerResource: () => {},
};

export const editionMembers = {
  EE: false,
  ee: {
    isEE: false,
    isTrial: false,
    seats: undefined,
    type: undefined,
    planPriceId: undefined,
    subscriptionId: undefined,
    features: { isEnabled, list: () => [], get: () => undefined },
  },
  features: { config: undefined, isEnabled, future: { isEnabled } },
  telemetry: { isDisabled: true, register: () => {}, bootstrap: () => {}, destroy: () => {}, send: async () => true },
  ai: { admin: { isEnabled }, mcp },
  fetch: (...args: Parameters<typeof fetch>) => fetch(...args),
};
