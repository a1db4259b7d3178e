/** The encodings in `Accept-Encoding` with a quality above zero. */
export function acceptedEncodings({ headers }: Request): ReadonlySet<string> {
  const names = (headers.get("accept-encoding") ?? "")
    .toLowerCase()
    .split(",")
    .flatMap((part) => {
      const [name, ...parameters] = part.split(";").map((text) => text.trim());
      return parameters.some((text) => /^q=0(\.0*)?$/.test(text)) ? [] : [name!];
    });
  return new Set(names);
}
