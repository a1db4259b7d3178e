import Link from "next/link";
import { articles } from "./strapi.js";

export default async function Page() {
  const list = await articles();
  return (
    <ul>
      {list.map(({ slug, title, summary }) => (
        <li key={slug}>
          <Link href={`/articles/${slug}`}>{title}</Link> {summary}
        </li>
      ))}
    </ul>
  );
}
