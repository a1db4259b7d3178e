import { defineConfig } from "astro/config";

export default defineConfig({ experimental: { incrementalBuild: true } });
