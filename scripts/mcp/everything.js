/** Own code with the tools, prompts and resources that the protocol's conformance suite asks for. */
const { z } = require("@strapi/utils");

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
const text = (value) => ({ type: "text", text: value });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const resource = (uri, mimeType, value) => ({ type: "resource", resource: { uri, mimeType, text: value } });
const said = (content) => ({ role: "user", content });

const tools = {
  test_simple_text: () => [text("This is a simple text response for testing.")],
  test_image_content: () => [image],
  test_audio_content: () => [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  test_embedded_resource: () => [resource("test://embedded", "text/plain", "This is an embedded resource content.")],
  test_multiple_content_types: () => [text("Several:"), image, resource("test://mixed", "application/json", "{}")],
  test_error_handling: () => {
    throw new Error("This tool intentionally returns an error for testing");
  },
};

const prompts = {
  test_simple_prompt: { make: () => [said(text("This is a simple prompt for testing."))] },
  test_prompt_with_arguments: {
    args: z.object({ arg1: z.string(), arg2: z.string() }),
    make: ({ arg1, arg2 }) => [said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    args: z.object({ resourceUri: z.string() }),
    make: ({ resourceUri }) => [
      said(resource(resourceUri, "text/plain", "Embedded")),
      said(text("Please process it.")),
    ],
  },
  test_prompt_with_image: { make: () => [said(image), said(text("Please analyze the image above."))] },
};

const resources = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: PNG },
};

module.exports = {
  register({ strapi }) {
    const { mcp } = strapi.ai;
    for (const [name, make] of Object.entries(tools))
      mcp.registerTool({
        ...{ name, title: name, description: name, devModeOnly: true },
        resolveOutputSchema: () => undefined,
        createHandler: () => async () => ({ content: make() }),
      });
    for (const [name, { args, make }] of Object.entries(prompts))
      mcp.registerPrompt({
        ...{ name, title: name, description: name, devModeOnly: true, argsSchema: args },
        createHandler: () => async (values) => ({ messages: make(values) }),
      });
    for (const [uri, content] of Object.entries(resources))
      mcp.registerResource({
        ...{ name: uri, uri, metadata: { mimeType: content.mimeType, description: uri }, devModeOnly: true },
        createHandler: () => async () => ({ contents: [{ uri, ...content }] }),
      });
  },
};
