/** Command that starts this program again. */
export const OWN_COMMAND = [process.execPath, ...(Bun.isStandaloneExecutable ? [] : [Bun.main])];
