import { defineConfig } from 'vite'

/**
 * Bundles the server into one file, because finding and reading hundreds of modules takes longer than running them.
 * Native modules and modules that load on demand are left out.
 */
const leftOut = ['@node-rs/argon2', 'mysql2', 'ioredis']

export default defineConfig({
  build: {
    ssr: true,
    target: 'node24',
    outDir: 'dist',
    sourcemap: true,
    minify: false,
    rolldownOptions: {
      input: {
        main: 'src/main.ts',
        'reader-thread': 'src/database/reader-thread.mjs',
        'otlp-decoder-worker': 'src/call-data/traces/otlp-decoder-worker.mjs',
        'encoder-worker': 'src/call-data/recordings/encoder-worker.mjs',
      },
      // All in one folder: the code finds its threads beside itself, in whichever file it lands.
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
  ssr: { noExternal: true, external: leftOut },
})
