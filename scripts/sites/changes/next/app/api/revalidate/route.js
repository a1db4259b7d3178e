import { revalidateRoute } from "galley-cms/next";
import { revalidateTag } from "next/cache";

export const POST = revalidateRoute({
  secret: process.env.REVALIDATE_SECRET,
  revalidateTag: (tag) => revalidateTag(tag, { expire: 0 }),
});
