const route = (path, handler) => ({ method: "GET", path: `/own${path}`, handler: `page.${handler}`, config: { auth: false } });
module.exports = {
  routes: [
    route("/shaped/:id", "shaped"),
    route("/plain/:id", "plain"),
    route("/literal/:name", "literal"),
    route("/meta", "meta"),
    route("/failure", "failure"),
  ],
};
