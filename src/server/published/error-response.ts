/** Describes the error response of a store or web server by status and code; other text of it is not shown. */

const MAX_BYTES = 4_000;

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
