// The page's own script: GraphiQL, talking to the address that it was loaded from. The fragment may have `query` and `variables`.
const fetcher = GraphiQL.createFetcher({ url: location.pathname });
const { query, variables } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const page = React.createElement(GraphiQL, { fetcher, query, variables, defaultEditorToolsVisibility: true });
ReactDOM.createRoot(document.getElementById("graphiql")).render(page);
