import { articles, file, fileName } from "../../strapi.js";

export const dynamic = "force-static";
export const generateStaticParams = async () =>
  (await articles()).flatMap(({ cover }) => (cover ? [{ name: fileName(cover) }] : []));

export async function GET(_request, { params }) {
  const response = await file((await params).name);
  return new Response(await response.arrayBuffer(), {
    headers: { "content-type": response.headers.get("content-type") },
  });
}
