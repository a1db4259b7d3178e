/** Describes the failures of requests to a store or web server, without anything secret and without words of the other side. */

const MAX_BYTES = 4_000;

/** The message of an error of `fetch`, which may have the URL: the query string of a presigned one is a credential. */
export const describeError = ({ message }: Error): string =>
  message
    .replace(/(https?:\/\/[^\s"?#]*)[?#][^\s"]*/gi, "$1")
    .replace(/ For more information, pass .*/s, "")
    .replace(/^(?:\w+: )?Unable to connect\..*/s, "cannot be reached");

/** With the code that S3-compatible stores send in XML, such as NoSuchKey. Reads a bounded part of the body. */
export async function describeFailure(response: Response): Promise<string> {
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString("latin1");
    if (text.length > MAX_BYTES) break;
  }
  const code = /<Code>(\w{1,80})<\/Code>/.exec(text.slice(0, MAX_BYTES))?.[1];
  return `answers ${response.status}${code ? ` (${code})` : ""}`;
}
