/** The functions of `executable.cjs` that others use. */
type Platforms = Readonly<Record<string, { readonly os: string; readonly cpu: string; readonly libc?: string }>>;
type System = Pick<NodeJS.Process, "platform" | "arch" | "report">;

export function platformOf(
  platforms: Platforms,
  system: System,
  isMusl?: (system: System) => boolean,
): string | undefined;
export function executableOf(
  platforms: Platforms,
  system: System,
  find: (id: string) => string,
  isMusl?: (system: System) => boolean,
): string;
export function installedExecutable(): string;
