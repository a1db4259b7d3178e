/** Listens on a port of this machine for a command. */
import { printable } from "../../lib/print-value.ts";
import { type Listening, listen } from "../../server/listen.ts";
import { UsageError } from "../command.ts";

/** Like `listen`, but throws a UsageError if the port or host cannot be used. */
export function listenOrExplain(app: Parameters<typeof listen>[0], options: Parameters<typeof listen>[1]): Listening {
  try {
    return listen(app, options);
  } catch (error) {
    const { port, host } = options;
    const { code } = error as { code?: string };
    if (code === "EADDRINUSE") {
      const { portOwner } = require("./port-owner.ts") as typeof import("./port-owner.ts");
      const owner = portOwner(port);
      const ownerText = owner ? ` by ${printable(owner.name)} (process ${owner.pid})` : "";
      throw new UsageError(`port ${port} is in use${ownerText}; --port chooses another one, and --port 0 a free one`);
    }
    if (code === "EACCES")
      throw new UsageError(`port ${port} may not be used by this user; --port chooses another one`);
    // an invalid host name, or an address of another machine: error codes vary between systems
    throw new UsageError(`cannot listen on host "${host}" (${(error as Error).message}); --host chooses another one`);
  }
}
