import { defineConfig } from "astro/config";

export default defineConfig({
  image: {
    remotePatterns: [
      { protocol: "http", hostname: "localhost" },
      { protocol: "http", hostname: "127.0.0.1" },
    ],
  },
});
