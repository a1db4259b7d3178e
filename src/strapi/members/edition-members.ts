/** Members of `strapi` that say which features there are: those of `config/features`, none of the paid ones, no telemetry. */
import { isRecord } from "../../lib/is-record.ts";

const isEnabled = (): boolean => false;

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
  telemetry: { isDisabled: true, register: () => {}, bootstrap: () => {}, destroy: () => {}, send: async () => true },
  fetch: (...args: Parameters<typeof fetch>) => fetch(...args),
};

/** `strapi.features`: the flags of `config/features`. */
export function featureFlags(config: { readonly get: (path: string) => unknown }) {
  const isOn = (flags: unknown, name: string): boolean => isRecord(flags) && flags[name] === true;
  const features = {
    get config(): unknown {
      return config.get("features");
    },
    isEnabled: (name: string) => isOn(features.config, name),
    future: {
      isEnabled: (name: string) => isOn(isRecord(features.config) ? features.config.future : undefined, name),
    },
  };
  return features;
}
