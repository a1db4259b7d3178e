/** What installs a release by other means than npm, made from its sums: texts only. */
import { archiveName, type PlatformName, platformNames, targets } from "../targets.ts";
import installTemplate from "./install.sh" with { type: "text" };

export interface Release {
  readonly version: string;
  readonly description: string;
  /** The address below which the archives are. */
  readonly url: string;
  /** SHA-256 by file name. */
  readonly sums: ReadonlyMap<string, string>;
}

/** Reads the lines of `sha256sum`. Throws for a line in another form. */
export function parseSums(text: string): Map<string, string> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const [, sum, name] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? [];
      if (!sum || !name) throw new Error(`SHA256SUMS has a line in another form: ${line}`);
      return [name, sum];
    }),
  );
}

/** Throws for a platform without an archive. */
function archive({ version, url, sums }: Release, platform: PlatformName): { url: string; sum: string } {
  const name = archiveName(platform, version);
  const sum = sums.get(name);
  if (!sum) throw new Error(`SHA256SUMS has no ${name}`);
  return { url: `${url}/${name}`, sum };
}

/** In single quotes of a POSIX shell. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function installScript(release: Release): string {
  const unix = platformNames.filter((platform) => targets[platform].os !== "win32");
  const table = unix.map((platform) => `${platform} ${archive(release, platform).sum}`).join("\n");
  const values: Readonly<Record<string, string>> = {
    VERSION: shellQuoted(release.version),
    URL: shellQuoted(release.url),
    SUMS: shellQuoted(table),
  };
  return installTemplate.replaceAll(/@([A-Z]+)@/g, (_, name: string) => values[name]!);
}

/** A Homebrew formula; on Linux the glibc executables. */
export function formula(release: Release): string {
  const block = (platform: PlatformName, cpu: "arm" | "intel"): string => {
    const { url, sum } = archive(release, platform);
    return `    on_${cpu} do\n      url ${JSON.stringify(url)}\n      sha256 "${sum}"\n    end\n`;
  };
  return `class Galley < Formula
  desc ${JSON.stringify(release.description)}
  homepage ${JSON.stringify(release.url)}
  version "${release.version}"
  license "MIT"

  on_macos do
${block("macos-arm64", "arm")}${block("macos-x64", "intel")}  end

  on_linux do
${block("linux-arm64", "arm")}${block("linux-x64", "intel")}  end

  def install
    bin.install "galley"
    generate_completions_from_executable(bin/"galley", "completions", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/galley --version")
  end
end
`;
}

export function scoopManifest(release: Release): string {
  const { url, sum } = archive(release, "windows-x64");
  const manifest = {
    version: release.version,
    description: release.description,
    homepage: release.url,
    license: "MIT",
    architecture: { "64bit": { url, hash: sum, extract_dir: "galley" } },
    bin: "galley.exe",
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** The version's section of the changes, then what was committed. Throws for a version without a section. */
export function releaseNotes(changes: string, version: string, commits: readonly string[]): string {
  const sections = changes.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${version}\n`));
  if (!section) throw new Error(`CHANGELOG.md has no section ${version}`);
  const list = commits.map((subject) => `- ${subject}`).join("\n");
  return `${section.slice(version.length).trim()}\n\n<details><summary>Commits</summary>\n\n${list}\n\n</details>\n`;
}
