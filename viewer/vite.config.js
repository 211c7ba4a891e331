import { defineConfig } from 'vite';

// Everything is found relative to the page, so that it can be served from any folder.
export default defineConfig({
  base: './',
  build: { target: 'es2022', chunkSizeWarningLimit: 1200 },
  server: { host: '127.0.0.1' },
  preview: { host: '127.0.0.1' },
});
