/** What systems make of the names of files: devices, and names that are one file there. */

/** Names that are devices on Windows, with any ending. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])[. ]*(\.|$)/i;

export const isDeviceName = (name: string): boolean => DEVICE.test(name);

/** Whether a path, with `/` between its steps, leads through a name that no file can have on this system. */
export const hasDevice = (path: string, platform: NodeJS.Platform = process.platform): boolean =>
  platform === "win32" && path.split("/").some(isDeviceName);

/** The same for names that a system keeps as one file: letter case, and on Windows dots and spaces at the end. */
export function sameFile(name: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return name.replace(/[. ]+$/, "").toUpperCase();
  return platform === "darwin" ? name.normalize("NFD").toUpperCase() : name;
}

/**
 * Whether a step of a path may lead to a file with another name on Windows: a short name (`GALLEY~1`), another stream
 * (`a.txt::$DATA`), a device, or dots and spaces at the end.
 */
export const isAlias = (step: string, platform: NodeJS.Platform = process.platform): boolean =>
  platform === "win32" && (/~\d|:|[. ]$/.test(step) || isDeviceName(step));
