import { articles, fileName } from "../../strapi.js";

export const dynamicParams = false;
export const generateStaticParams = async () => (await articles()).map(({ slug }) => ({ slug }));

const textOf = (node) => node.text ?? (node.children ?? []).map(textOf).join("");

export default async function Page({ params }) {
  const { slug } = await params;
  const article = (await articles()).find((one) => one.slug === slug);
  return (
    <main>
      <h1>{article.title}</h1>
      <p>
        {article.author?.name}, {article.date}, {article.category?.name}
      </p>
      {article.cover && <img src={`/pictures/${fileName(article.cover)}`} alt={article.cover.alternativeText ?? ""} />}
      {article.body.map((node, index) => (
        <p className={node.type} key={index}>
          {textOf(node)}
        </p>
      ))}
      <ul>
        {article.tags.map(({ name }) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </main>
  );
}
