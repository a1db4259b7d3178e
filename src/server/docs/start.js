// The page's own script: Swagger UI with the description of this server.
SwaggerUIBundle({
  url: new URL("../openapi.json", document.currentScript.src).href,
  dom_id: "#docs",
  deepLinking: true,
});
