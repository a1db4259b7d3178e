// The page's own script: GraphiQL, talking to the address that it was loaded from.
const fetcher = GraphiQL.createFetcher({ url: location.pathname });
const page = React.createElement(GraphiQL, { fetcher, defaultEditorToolsVisibility: true });
ReactDOM.createRoot(document.getElementById("graphiql")).render(page);
