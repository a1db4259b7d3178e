/** Encodings that a client takes: those it names, but not with a quality of zero. */
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
