import { defineConfig } from 'vite'

/** One file of our own code: less to read at start; what comes from npm stays in node_modules. */
export default defineConfig({
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'dist',
    sourcemap: true,
    minify: false,
    rolldownOptions: {
      input: { main: 'src/main.ts', demo: 'src/demo.ts', 'reader-thread': 'src/database/reader-thread.mjs' },
      output: { entryFileNames: '[name].mjs', chunkFileNames: 'chunks/[name]-[hash].mjs' },
    },
  },
  ssr: { noExternal: [/^@patchbay\//] },
})
