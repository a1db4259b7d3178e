import type { Ability } from "../../engine/access/access.ts";
import type { Client } from "../../engine/access/rate-limit.ts";
import type { Device } from "../../engine/access/sessions.ts";

/** Who sent a request: their permissions, and what rate limits and sessions need to know. */
export interface Caller {
  readonly ability: Ability;
  readonly client: Client;
  readonly device: Device;
  /** For a project's own resolvers; its body has been read. */
  readonly request: Request;
}
