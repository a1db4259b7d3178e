/** Login providers, as Strapi's route answers them. */
import { formatLabel } from "../../model.ts";

export type Provider = Readonly<Record<string, unknown>>;
/** By name. */
export type Providers = Readonly<Record<string, Provider>>;

export const PROVIDERS_PATH = "/users-permissions/providers";

export const isEnabled = (provider: Provider | undefined): boolean => provider?.enabled === true;

const labels: Readonly<Record<string, string>> = {
  auth0: "Auth0",
  cas: "CAS",
  github: "GitHub",
  linkedin: "LinkedIn",
  vk: "VK",
};

export const labelOf = (name: string): string => labels[name] ?? formatLabel(name);
