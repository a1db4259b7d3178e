/** What a server answered in the place of what was asked for, without anything else that it says. */

const MAX_BYTES = 4_000;

/** With the code that stores answer in XML, such as NoSuchKey. */
export async function refusalOf(response: Response): Promise<string> {
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString("latin1");
    if (text.length > MAX_BYTES) break;
  }
  const code = /<Code>(\w{1,80})<\/Code>/.exec(text.slice(0, MAX_BYTES))?.[1];
  return `answers ${response.status}${code ? ` (${code})` : ""}`;
}
