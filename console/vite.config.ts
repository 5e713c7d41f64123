import react from '@vitejs/plugin-react'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const compressible = /\.(?:js|css|html|svg|json)$/

/** Compresses once, at build time, as hard as it goes; the server only picks a file. */
const precompress = (): Plugin => ({
  name: 'precompress',
  apply: 'build',
  closeBundle: async () => {
    const root = join(import.meta.dirname, 'dist')
    const files = await readdir(root, { recursive: true, withFileTypes: true })
    const wanted = files.filter((file) => file.isFile() && compressible.test(file.name))
    await Promise.all(
      wanted.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name)
        const content = await readFile(path)
        if (content.length < 1024) return
        const brotli = {
          params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
        }
        await writeFile(`${path}.br`, await promisify(brotliCompress)(content, brotli))
        await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
      }),
    )
  },
})

export default defineConfig({
  plugins: [react(), precompress()],
  build: {
    target: 'es2023',
    // A manifest lets the size gate see which files a screen needs.
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': 'http://localhost:3000', '/config.json': 'http://localhost:3000' } },
})
