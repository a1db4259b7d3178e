/** The archive of `data/` that an executable embeds, built by `scripts/embed-data.ts`: templates of projects, and the manual. */

/** The files below one of its folders by path, with slashes on every system. */
export async function readArchived(folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  // resolved when the executable is compiled; from source the file need not exist
  const { default: path } = await import("../../dist/data.tar.gz", { with: { type: "file" } });
  const files = await new Bun.Archive(await Bun.file(path).bytes()).files(`${folder}/**`);
  return new Map(
    await Promise.all(
      [...files].map(
        async ([name, file]) => [name.slice(folder.length + 1), new Uint8Array(await file.arrayBuffer())] as const,
      ),
    ),
  );
}
