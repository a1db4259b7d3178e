/** File names with special meanings on some systems: devices, and different names for one file. */

/** Names of devices on Windows, with any extension. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])[. ]*(\.|$)/i;

export const isDeviceName = (name: string): boolean => DEVICE.test(name);

/** Whether a segment of a path is the name of a device on this system. */
export const hasDevice = (path: string, platform: NodeJS.Platform = process.platform): boolean =>
  platform === "win32" && path.split("/").some(isDeviceName);

/** Most file systems have names of up to 255 bytes. */
const MAX_NAME_BYTES = 255;

/** Whether a segment of a path is too long for a file's name. */
export const hasLongName = (path: string): boolean =>
  path.split("/").some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);

/** Returns equal strings for names of the same file: ignores case, and on Windows trailing dots and spaces. */
export function sameFile(name: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return name.replace(/(?<![. ])[. ]+$/, "").toUpperCase();
  return platform === "darwin" ? name.normalize("NFD").toUpperCase() : name;
}

/**
 * Whether a path segment may refer to a file with another name on Windows: a short name (`GALLEY~1`), a data stream
 * (`a.txt::$DATA`), a device, or a name with trailing dots or spaces.
 */
export const isAlias = (step: string, platform: NodeJS.Platform = process.platform): boolean =>
  platform === "win32" && (/~\d|:|[. ]$/.test(step) || isDeviceName(step));
