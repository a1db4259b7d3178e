/** Which texts are codes of locales: the reference knows a fixed list, Galley what Unicode's data have a name for. */

/** Codes of the reference's list that Unicode's data have no name for. */
const others: ReadonlySet<string> = new Set(
  "aig bah dwr svc vic en-US-POSIX gmv lao gof lir tch val val-ES".split(" "),
);

let languages: Intl.DisplayNames | undefined;
let regions: Intl.DisplayNames | undefined;

/** Letter case counts: `de-AT` is a code, `DE` is none. */
export function isLocaleCode(code: string): boolean {
  if (others.has(code)) return true;
  languages ??= new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
  regions ??= new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  try {
    const locale = new Intl.Locale(code);
    const { language, region } = locale;
    if (locale.toString() !== code || languages.of(language) === undefined) return false;
    return region === undefined || (region !== "ZZ" && regions.of(region) !== undefined);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
