import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// In development the page comes from Vite and everything else from a server on this machine.
const server = 'http://127.0.0.1:8000';

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    // The content security policy allows files of our own only: nothing is put into the page as data.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { index: 'index.html', notices: 'src/player/worker.ts' },
      output: {
        // A service worker has a name that stays, at the root: its scope is the folder that it lies in.
        entryFileNames: ({ name }) => (name === 'notices' ? 'notices.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
  server: {
    proxy: {
      '/ws': { target: server, ws: true, changeOrigin: true },
      '/rules': server,
      '/forces': server,
      '/positions': server,
      '/matches': server,
      '/license.txt': server,
      '/notice.txt': server,
    },
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
