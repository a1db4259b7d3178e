import type { Fields, Flow } from "./flow.ts";
import { oauth2Flow } from "./oauth2.ts";

/** `config`: the stored one. `redirectUri`: where the provider sends users back. Undefined for a provider without endpoints. */
export function createFlow(name: string, config: Fields, redirectUri: string): Flow | undefined {
  const { oauth1Flow } = require("./oauth1.ts") as typeof import("./oauth1.ts");
  return oauth1Flow(name, config, redirectUri) ?? oauth2Flow(name, config, redirectUri);
}
