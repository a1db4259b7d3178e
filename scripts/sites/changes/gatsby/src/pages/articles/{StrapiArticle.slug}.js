import { graphql } from "gatsby";

export default function Page({ data: { strapiArticle: article } }) {
  return (
    <main>
      <h1>{article.title}</h1>
      <p>{article.author?.name}</p>
      <p>{article.text}</p>
    </main>
  );
}

export const query = graphql`
  query ($id: String!) { strapiArticle(id: { eq: $id }) { title text author { name } } }
`;
