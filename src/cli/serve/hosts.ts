/** The host that a server listens on, and its URL. */
import { isLoopback } from "../../engine/access/client-address.ts";

const meansAllInterfaces = (host: string): boolean => host === "0.0.0.0" || host === "::";

/** The server's URL for browsers: localhost for hosts that mean all interfaces. */
export function serverUrl(host: string, port: number): string {
  const name = meansAllInterfaces(host) ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Whether only this machine reaches the host. */
export const isLoopbackHost = (host: string): boolean =>
  host.toLowerCase() === "localhost" || isLoopback(host.replace(/^\[(.*)\]$/, "$1"));

/** What other machines connect to, such as a phone with an app in development; none where a sandbox does not show them, as on Android. */
function externalAddresses(): readonly string[] {
  const { networkInterfaces } = require("node:os") as typeof import("node:os");
  try {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    return addresses.flatMap(({ address, family, internal }) => (family === "IPv4" && !internal ? [address] : []));
  } catch {
    return [];
  }
}

/**
 * The host to listen on, with a message for the command line. Strapi projects are configured to listen on all interfaces, for
 * deployments. Outside production, that is replaced by localhost, unless the command line or the environment names the host.
 */
export function chooseHost(requested: string | undefined, configured: string | undefined, isProduction: boolean) {
  if (requested === undefined && configured !== undefined && !isLoopbackHost(configured) && !isProduction) {
    const notice = `listening on this machine only; --host ${configured} listens as the project's configuration says`;
    return { host: "localhost", notice };
  }
  const host = requested ?? configured ?? "localhost";
  if (isLoopbackHost(host)) return { host, notice: undefined };
  const addresses = meansAllInterfaces(host) ? externalAddresses() : [];
  const reached = addresses.length === 0 ? "" : ` to ${addresses.join(", ")}`;
  return { host, notice: `the server listens on ${host}: other machines can connect${reached}` };
}
