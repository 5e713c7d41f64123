import { defineConfig } from 'vite'

/**
 * One file of all that a start needs: finding and reading some hundred modules takes longer than running them. Left
 * out are native modules, and what is only loaded when it is asked for.
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
        demo: 'src/demo/demo.ts',
        'admin-password': 'src/app/admin-password.ts',
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
