import Link from "next/link";
import { newest } from "./strapi.js";

export default async function Page() {
  "use cache";
  console.log("rendered /");
  return (
    <ul>
      {(await newest()).map(({ slug, title }) => (
        <li key={slug}>
          <Link href={`/articles/${slug}`}>{title}</Link>
        </li>
      ))}
    </ul>
  );
}
