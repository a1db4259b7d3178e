/** Opens a page in the browser of the person at the command line. */
import type { Environment } from "../../engine/config/env.ts";

/** The system that the browser is started on. */
export interface Desktop {
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
  readonly isInstalled: (program: string) => boolean;
}

/** The URL is the last argument. Explorer and `start` misread some URLs. */
const WINDOWS = ["rundll32.exe", "url.dll,FileProtocolHandler"];

const isWsl = ({ environment }: Desktop): boolean => Boolean(environment.WSL_DISTRO_NAME || environment.WSL_INTEROP);

/** Without a display, `xdg-open` would start a terminal browser, or none. `BROWSER` is the user's choice. */
const hasScreen = ({ environment }: Desktop): boolean =>
  Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY || environment.BROWSER);

function candidates(desktop: Desktop): readonly (readonly string[])[] {
  if (desktop.platform === "win32") return [WINDOWS];
  if (desktop.platform === "darwin") return [["open"]];
  if (isWsl(desktop)) return [["wslview"], WINDOWS];
  return hasScreen(desktop) ? [["xdg-open"]] : [];
}

/** The command that opens a URL; undefined where there is none. */
export const findOpener = (desktop: Desktop): readonly string[] | undefined =>
  candidates(desktop).find(([program]) => desktop.isInstalled(program!));

/** The message if no browser can be started. */
export function withoutBrowser({ environment }: Desktop, url: string): string {
  const { port } = new URL(url);
  const tunnel = environment.SSH_CONNECTION
    ? `; from your own machine: ssh -L ${port}:localhost:${port} and the name of this one`
    : "";
  return `no browser can be started here: open ${url} in one${tunnel}`;
}

/**
 * Starts the browser without waiting for it. `report` is called with a message if that fails.
 */
export function openPage(url: string, desktop: Desktop, report: (line: string) => void): void {
  const command = findOpener(desktop);
  const fail = (): void => report(withoutBrowser(desktop, url));
  if (!command) return fail();
  try {
    const child = Bun.spawn([...command, url], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      // a key press that interrupts the server leaves the browser open
      detached: true,
      env: { ...desktop.environment },
      onExit: (_, code) => {
        if (code !== 0) fail();
      },
    });
    child.unref();
  } catch {
    // the program exists, but cannot be run
    fail();
  }
}
