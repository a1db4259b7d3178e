/** The floor's upload of a JPEG image: encoded again, with Strapi's smaller copies, beside Galley's files. */
import { mkdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import type { FloorDatabase } from "./database.ts";

/** The longer side of copies, as Strapi names them in this order; a thumbnail fits into a box. */
const SIZES = { large: 1000, medium: 750, small: 500 };
const THUMBNAIL = { width: 245, height: 156 };
const QUALITY = 80;

const kilobytes = (bytes: number): number => Math.round(bytes / 10) / 100;

export function uploads({ prepare }: FloorDatabase, project: string) {
  const folder = join(project, "public/uploads");
  mkdirSync(folder, { recursive: true });
  const insert = prepare(
    `INSERT INTO files (document_id, status, created_at, updated_at, published_at, name, width, height, formats, hash, ext, mime, size,
       url, provider, folderPath)
     VALUES (?1, 'published', ?2, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'local', '/1')`,
  );
  return async (file: File): Promise<string> => {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const { width, height } = await new Bun.Image(bytes).metadata();
    const ext = extname(file.name);
    const hash = `${basename(file.name, ext)}_${crypto.getRandomValues(new Uint8Array(5)).toHex()}`;
    const stored = await new Bun.Image(bytes).jpeg({ quality: QUALITY, progressive: true }).bytes();
    await Bun.write(join(folder, hash + ext), stored);
    const formats: Record<string, object> = {};
    const copy = async (name: string, scale: number): Promise<void> => {
      const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
      const made = await new Bun.Image(bytes).resize(w, h).jpeg({ quality: QUALITY, progressive: true }).bytes();
      const own = `${name}_${hash}`;
      await Bun.write(join(folder, own + ext), made);
      const size = { width: w, height: h, size: kilobytes(made.length), sizeInBytes: made.length };
      const about = { name: `${name}_${file.name}`, hash: own, ext, mime: file.type, path: null };
      formats[name] = { ...about, ...size, url: `/uploads/${own}${ext}` };
    };
    await copy("thumbnail", Math.min(THUMBNAIL.width / width, THUMBNAIL.height / height));
    for (const [name, side] of Object.entries(SIZES)) await copy(name, side / Math.max(width, height));
    const now = new Date().toISOString();
    const documentId = crypto.randomUUID().replaceAll("-", "").slice(0, 24);
    const url = `/uploads/${hash}${ext}`;
    const size = kilobytes(stored.length);
    const values = [file.name, width, height, JSON.stringify(formats), hash, ext, file.type, size, url] as const;
    const { lastInsertRowid: id } = insert.run(documentId, now, ...values);
    return JSON.stringify([
      {
        ...{ id, documentId, name: file.name, alternativeText: null, caption: null, focalPoint: null, width, height },
        ...{ formats, hash, ext, mime: file.type, size, url, previewUrl: null, provider: "local" },
        ...{ provider_metadata: null, createdAt: now, updatedAt: now, publishedAt: now, isUrlSigned: false },
      },
    ]);
  };
}
