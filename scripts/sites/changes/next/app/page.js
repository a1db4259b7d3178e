import { authors } from "./strapi.js";

export default async function Page() {
  "use cache";
  console.log("rendered /");
  return (
    <ul>
      {(await authors()).map(({ documentId, name }) => (
        <li key={documentId}>{name}</li>
      ))}
    </ul>
  );
}
