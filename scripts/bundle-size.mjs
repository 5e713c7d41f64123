import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

// What a screen loads before it shows, from the build's manifest, against its limit in kB gzipped. A screen is what the
// build made a chunk of its own below src/screens.

const dist = fileURLToPath(new URL('../console/dist', import.meta.url))
const app = fileURLToPath(new URL('../console/src/app', import.meta.url))
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))

const entry = 'index.html'
const frame = 'src/app/authenticated-chunk.ts'
// What comes after its screen has shown (a chart, a waveform, a ladder) is apart from these, and not without bounds.
const limits = { outside: 115, list: 150, form: 200, late: 210 }
const stylesLimit = 15

/** The chunk and all that it imports at once; what it imports later is not part of it. */
const withImports = (key, found = new Set()) => {
  if (found.has(key)) return found
  const chunk = manifest[key]
  if (!chunk) throw new Error(`the build has no chunk ${key}`)
  found.add(key)
  for (const imported of chunk.imports ?? []) withImports(imported, found)
  return found
}

const imports = (keys, name) => [...keys].some((key) => manifest[key].name === name)

/** The modules that `app/pages.ts` opens a screen with, as keys of the manifest. */
const openedFirst = () => {
  const pages = ['pages.ts', 'hosted-pages.ts'].map((file) => readFileSync(join(app, file), 'utf8')).join('\n')
  const loads = pages.matchAll(/\bpage\(\s*\w+,\s*\(\) => import\('\.\.\/(screens\/[^']+)'\)/g)
  return new Set([...loads].map(([, file]) => `src/${file}`))
}

const screensOf = () => {
  const opened = openedFirst()
  const keys = Object.keys(manifest).filter(
    (key) => /^src\/screens\/.*\.tsx$/.test(key) && manifest[key].isDynamicEntry,
  )
  if (keys.length === 0) throw new Error('the build has no screens')
  const loaded = keys.map((key) => {
    const own = withImports(key)
    // The frame's own pieces are what a screen within it shares.
    const within = imports(own, 'internal')
    // A list that brings the forms along is too big, not a form; its dialogs come before they are asked for.
    const isForm = !key.endsWith('/list.tsx') && imports(own, 'forms')
    const isLate = !opened.has(key) && !/\/delete-[\w-]+\.tsx$/.test(key)
    const kind = isLate ? 'late' : isForm ? 'form' : within ? 'list' : 'outside'
    const all = within ? [entry, frame] : [entry]
    return {
      name: key.slice('src/screens/'.length),
      kind,
      keys: new Set([...all.flatMap((one) => [...withImports(one)]), ...own]),
    }
  })
  return [{ name: 'the first page', kind: 'outside', keys: withImports(entry) }, ...loaded]
}

const kilobytes = (files) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0) / 1000

let failed = false
const row = (name, size, limit) => {
  const over = size > limit
  failed ||= over
  console.log(`${over ? 'OVER' : 'ok  '} ${name.padEnd(48)} ${size.toFixed(1).padStart(7)} kB of ${limit}`)
}

for (const { name, kind, keys } of screensOf()) {
  row(`${name} (${kind}), script`, kilobytes(new Set([...keys].map((key) => manifest[key].file))), limits[kind])
  row(`${name} (${kind}), styles`, kilobytes(new Set([...keys].flatMap((key) => manifest[key].css ?? []))), stylesLimit)
}

for (const { file } of Object.values(manifest))
  if (file.endsWith('.js') && statSync(join(dist, file)).size > 1024) {
    statSync(join(dist, `${file}.br`))
    statSync(join(dist, `${file}.gz`))
    if (!/-[\w-]{8}\.js$/.test(file)) throw new Error(`${file} has no hash in its name`)
  }

process.exit(failed ? 1 : 0)
