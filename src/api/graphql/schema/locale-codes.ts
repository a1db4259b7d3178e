/** Checks locale codes. Strapi has a fixed list; Galley accepts all codes with a name in Unicode's data. */

/** Codes of Strapi's list without a name in Unicode's data. */
const OTHER_CODES: ReadonlySet<string> = new Set(
  "aig bah dwr svc vic en-US-POSIX gmv lao gof lir tch val val-ES".split(" "),
);

let languages: Intl.DisplayNames | undefined;
let regions: Intl.DisplayNames | undefined;

/** Case-sensitive: `de-AT` is valid, `DE` is not. */
export function isLocaleCode(code: string): boolean {
  if (OTHER_CODES.has(code)) return true;
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
