import { graphql, Link } from "gatsby";

export default function Page({ data }) {
  return (
    <ul>
      {data.allStrapiArticle.nodes.map(({ slug, title }) => (
        <li key={slug}>
          <Link to={`/articles/${slug}`}>{title}</Link>
        </li>
      ))}
    </ul>
  );
}

export const query = graphql`
  { allStrapiArticle(sort: { slug: ASC }, limit: 20) { nodes { slug title } } }
`;
