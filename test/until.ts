/** Waits, up to twenty seconds. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await Bun.sleep(25)) if (await isSo()) return;
  throw new Error(`It never was so that ${what}`);
}
