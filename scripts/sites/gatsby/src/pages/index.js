import { graphql, Link } from "gatsby";

export default function Page({ data }) {
  return (
    <ul>
      {data.allStrapiArticle.nodes.map(({ slug, title, summary }) => (
        <li key={slug}>
          <Link to={`/articles/${slug}`}>{title}</Link> {summary}
        </li>
      ))}
    </ul>
  );
}

export const query = graphql`
  { allStrapiArticle(sort: { date: DESC }) { nodes { slug title summary } } }
`;
