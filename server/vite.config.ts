import * as http from 'node:http'
import { defineConfig, type Plugin } from 'vite'
import { recordPackages } from '../scripts/release/bundled-packages.mjs'

/**
 * Bundles the server into one file, because finding and reading hundreds of modules takes longer than running them.
 * Native modules and modules that load on demand are left out.
 */
const leftOut = ['@node-rs/argon2', 'mariadb', 'ioredis']

/** Exports of node:http that Node reads from undici. */
const fromUndici = ['WebSocket', 'CloseEvent', 'MessageEvent']

/**
 * Replaces `import … from 'node:http'` by reading the module at run time. For an import, Node reads every export, and with
 * them loads undici: 22 ms and 2 MB for something that most processes do not need.
 */
const httpWithoutUndici = (): Plugin => {
  const id = '\0node-http'
  const names = Object.keys(http).filter((name) => name !== 'default' && !fromUndici.includes(name))
  return {
    name: 'http-without-undici',
    enforce: 'pre',
    resolveId: {
      filter: { id: /^(?:node:)?http$/ },
      handler: (_source, _importer, { kind }) => (kind === 'import-statement' ? id : null),
    },
    load: {
      filter: { id: /^\0node-http$/ },
      handler: () =>
        `const http = process.getBuiltinModule('node:http')\nexport const { ${names.join(', ')} } = http\nexport default http`,
    },
  }
}

export default defineConfig({
  plugins: [httpWithoutUndici(), recordPackages('server')],
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
        'masking-process': 'src/call-data/masking/masking-process.mjs',
        'mp3-process': 'src/adapters/mp3/mp3-process.mjs',
        'voice-process': 'src/call-data/recordings/voice-process.mjs',
      },
      // All in one folder: the code finds its threads and helper processes beside itself, in whichever file it lands.
      output: {
        entryFileNames: '[name].mjs',
        chunkFileNames: '[name]-[hash].mjs',
        // A single character outside Latin-1 would double the memory that V8 needs for the text of a file. Lines stay as
        // they are, so that stack traces are readable.
        comments: false,
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
      },
    },
  },
  ssr: { noExternal: true, external: leftOut },
})
