import react from '@vitejs/plugin-react'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

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

/** The files that a chunk needs at once, its own among them. */
const withImports = (bundle: Rolldown.OutputBundle, file: string, found = new Set<string>()): Set<string> => {
  const chunk = bundle[file]
  if (chunk?.type !== 'chunk' || chunk.isEntry || found.has(file)) return found
  found.add(file)
  for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style)
  for (const imported of chunk.imports) withImports(bundle, imported, found)
  return found
}

const preloadTag = (file: string): string => {
  if (file.endsWith('.js')) return `<link rel="modulepreload" crossorigin href="/${file}">`
  const as = file.endsWith('.css') ? 'as="style"' : 'as="font" type="font/woff2"'
  return `<link rel="preload" ${as} crossorigin href="/${file}">`
}

/**
 * The page names the font it will need, so that text is drawn once, and for addresses behind the sign-in there is a
 * page that names the frame's files as well: what the first script would only ask for when it runs is then there.
 */
const preloads = (): Plugin => ({
  name: 'preloads',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') throw new Error('the build has no page')
      const named = (pattern: RegExp) => {
        const file = Object.keys(bundle).find((name) => pattern.test(name))
        if (file === undefined) throw new Error(`the build has no file ${String(pattern)}`)
        return file
      }
      const frame = Object.values(bundle).find(
        (chunk) => chunk.type === 'chunk' && chunk.facadeModuleId?.endsWith('/app/internal.ts'),
      )
      if (frame === undefined) throw new Error('the build has no chunk of the frame')
      const html = String(page.source)
      const withTags = (files: Iterable<string>) =>
        html.replace('</head>', `  ${[...files].map(preloadTag).join('\n    ')}\n  </head>`)
      const text = named(/inter-latin-wght/)
      page.source = withTags([text])
      const ofFrame = withImports(bundle, frame.fileName)
      const source = withTags([text, named(/jetbrains-mono-latin-wght/), ...ofFrame])
      this.emitFile({ type: 'asset', fileName: 'internal.html', source })
    },
  },
})

/**
 * Few chunks, each for those who need it: what every page starts with, what all internal screens share, what only
 * forms need, and what the screens of one resource share, its forms (in `form/`) apart. A screen, and what is loaded by name, has its own.
 */
const chunks: Rolldown.CodeSplittingGroup[] = [
  { name: 'core', tags: ['$initial'], priority: 4 },
  {
    name: (id) => /[\\/]screens[\\/]([\w-]+(?:[\\/]form(?=[\\/]))?)[\\/]/.exec(id)?.[1]?.replace(/\W/, '-') ?? null,
    minShareCount: 2,
    priority: 3,
  },
  {
    name: 'forms',
    test: /[\\/](?:react-hook-form|@hookform|zod|form-frame|form-skeleton|page[\\/]form)\b/,
    minShareCount: 2,
    priority: 2,
  },
  { name: 'internal', minShareCount: 2, priority: 1 },
]

export default defineConfig({
  plugins: [react(), preloads(), precompress()],
  build: {
    target: 'es2023',
    // A manifest lets the size gate see which files a screen needs.
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { includeDependenciesRecursively: false, groups: chunks } } },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:3000', '/config.json': 'http://127.0.0.1:3000' } },
})
