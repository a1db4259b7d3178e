import { graphql } from "gatsby";

export default function Page({ data: { strapiArticle: article } }) {
  const { cover } = article;
  return (
    <main>
      <h1>{article.title}</h1>
      <p>
        {article.author?.name}, {article.date}, {article.category?.name}
      </p>
      {cover && <img src={cover.localFile.publicURL} alt={cover.alternativeText ?? ""} />}
      {cover && <img src={cover.localFile.childImageSharp.resize.src} alt="" />}
      <ul>
        {article.tags.map(({ name }) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </main>
  );
}

export const query = graphql`
  query ($id: String!) {
    strapiArticle(id: { eq: $id }) {
      title
      date
      author { name }
      category { name }
      tags { name }
      cover { alternativeText localFile { publicURL childImageSharp { resize(width: 160) { src } } } }
    }
  }
`;
