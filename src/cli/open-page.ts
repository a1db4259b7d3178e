/** Opens a page in the browser of the person at the command line. */

/** By `process.platform`; the URL is the last argument. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  // `start` takes its first quoted argument as a title; explorer takes none
  win32: ["explorer.exe"],
};

/** Returns whether there is a program for it; it is not waited for. */
export function openPage(url: string, platform: NodeJS.Platform = process.platform): boolean {
  const command = openers[platform] ?? ["xdg-open"];
  if (Bun.which(command[0]!) === null) return false;
  Bun.spawn([...command, url], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).unref();
  return true;
}
