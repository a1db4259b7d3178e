/** Limits of uploads, and who stores files. */
import { configOfPlugin, LOCAL, type PluginSource, providerFile, providerName } from "./providers.ts";
import { Reader } from "./reader.ts";

const BREAKPOINTS: Readonly<Record<string, number>> = { large: 1000, medium: 750, small: 500 };

function checkProvider({ root, galley, plugins, file, report }: PluginSource): void {
  const provider = providerName(plugins, "upload", file, report);
  if (provider === undefined || galley.upload?.provider === LOCAL || provider.toLowerCase() === LOCAL) return;
  if (providerFile(root, "upload", provider) !== undefined) return;
  const name = JSON.stringify(provider);
  report.warn(file, "upload.config.provider", `the provider ${name} is not installed; files are stored in the project`);
}

export function uploadSettings(source: PluginSource) {
  const { galley, plugins, file, report } = source;
  const upload = new Reader(configOfPlugin(plugins, "upload"), file, report);
  checkProvider(source);
  return {
    /** In bytes. */
    sizeLimit: galley.upload?.sizeLimit ?? upload.number("sizeLimit") ?? 1_000_000_000,
    breakpoints: galley.upload?.breakpoints ?? upload.positiveIntegers("breakpoints") ?? BREAKPOINTS,
    allowedTypes: galley.upload?.security?.allowedTypes ?? upload.textList("security.allowedTypes"),
    deniedTypes: galley.upload?.security?.deniedTypes ?? upload.textList("security.deniedTypes"),
  } as const;
}
