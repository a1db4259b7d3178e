import { article } from "../../strapi.js";

/** Next needs one; the others are rendered when they are asked for. */
export const generateStaticParams = () => [{ slug: "article-0" }];

export default async function Page({ params }) {
  "use cache";
  const { slug } = await params;
  console.log(`rendered /articles/${slug}`);
  const { title, author, text } = await article(slug);
  return (
    <main>
      <h1>{title}</h1>
      <p>{author?.name}</p>
      <p>{text}</p>
    </main>
  );
}
