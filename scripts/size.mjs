import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

// What a screen loads before it shows, from the build's manifest, against its limits in kB gzipped.

const dist = fileURLToPath(new URL('../console/dist', import.meta.url))
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))

const entry = 'index.html'
const frame = 'src/app/internal.ts'
const screens = [
  { name: 'sign-in', chunks: [entry], script: 115 },
  { name: 'create password', chunks: [entry, 'src/screens/create-password/create-password.tsx'], script: 115 },
  { name: 'accounts list', chunks: [entry, frame, 'src/screens/accounts/list.tsx'], script: 150 },
  { name: 'recent calls list', chunks: [entry, frame, 'src/screens/recent-calls/list.tsx'], script: 150 },
  { name: 'add account', chunks: [entry, frame, 'src/screens/accounts/add.tsx'], script: 200 },
  { name: 'edit account', chunks: [entry, frame, 'src/screens/accounts/edit.tsx'], script: 200 },
]
const stylesLimit = 15

/** The chunk and all that it imports at once; what it imports later is not part of it. */
const withImports = (key, found = new Set()) => {
  if (found.has(key)) return found
  const chunk = manifest[key]
  if (!chunk) throw new Error(`the build has no chunk ${key}: is every screen a chunk of its own?`)
  found.add(key)
  for (const imported of chunk.imports ?? []) withImports(imported, found)
  return found
}

const kilobytes = (files) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0) / 1000

let failed = false
const row = (name, size, limit) => {
  const over = size > limit
  failed ||= over
  console.log(`${over ? 'OVER' : 'ok  '} ${name.padEnd(32)} ${size.toFixed(1).padStart(7)} kB of ${limit}`)
}

for (const { name, chunks, script } of screens) {
  const keys = new Set(chunks.flatMap((chunk) => [...withImports(chunk)]))
  row(`${name}, script`, kilobytes(new Set([...keys].map((key) => manifest[key].file))), script)
  row(`${name}, styles`, kilobytes(new Set([...keys].flatMap((key) => manifest[key].css ?? []))), stylesLimit)
}

for (const { file } of Object.values(manifest))
  if (file.endsWith('.js') && statSync(join(dist, file)).size > 1024) {
    statSync(join(dist, `${file}.br`))
    statSync(join(dist, `${file}.gz`))
    if (!/-[\w-]{8}\.js$/.test(file)) throw new Error(`${file} has no hash in its name`)
  }

process.exit(failed ? 1 : 0)
