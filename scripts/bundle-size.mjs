import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

// Checks the files that a screen loads before it is displayed, according to the build manifest, against limits in kB
// (gzipped). A screen is a chunk below src/screens that app/pages.ts opens a screen with.

const dist = fileURLToPath(new URL('../console/dist', import.meta.url))
const app = fileURLToPath(new URL('../console/src/app', import.meta.url))
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))

const entry = 'index.html'
const frame = 'src/app/authenticated-chunk.ts'
// `late` limits parts that are loaded after their screen is displayed, such as charts, waveforms, and ladder diagrams.
const limits = { outside: 116, list: 151, form: 201, late: 211 }
const stylesLimit = 16.2

/** Returns a chunk and its static imports. Dynamic imports are not included. */
const withImports = (key, loaded = new Set()) => {
  if (loaded.has(key)) return loaded
  const chunk = manifest[key]
  if (!chunk) throw new Error(`the build has no chunk ${key}`)
  loaded.add(key)
  for (const imported of chunk.imports ?? []) withImports(imported, loaded)
  return loaded
}

const imports = (keys, name) => [...keys].some((key) => manifest[key].name === name)

/** Returns the modules that `app/pages.ts` opens the screens with, as keys of the manifest. */
const listEntryModules = () => {
  const pages = ['pages.ts', 'hosted-pages.ts', 'link-pages.ts']
    .map((file) => readFileSync(join(app, file), 'utf8'))
    .join('\n')
  const loads = pages.matchAll(/\bpage\(\s*\w+,\s*\(\) => import\('\.\.\/(screens\/[^']+)'\)/g)
  return new Set([...loads].map(([, file]) => `src/${file}`))
}

const listScreens = () => {
  const opened = listEntryModules()
  const keys = Object.keys(manifest).filter(
    (key) => /^src\/screens\/.*\.tsx$/.test(key) && manifest[key].isDynamicEntry,
  )
  if (keys.length === 0) throw new Error('the build has no screens')
  const loaded = keys.map((key) => {
    const own = withImports(key)
    // Screens within the authenticated frame share the frame's chunks.
    const within = imports(own, 'internal')
    // A list that imports the forms exceeds the list limit and does not count as a form. Its delete dialogs are
    // prefetched.
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

for (const { name, kind, keys } of listScreens()) {
  row(`${name} (${kind}), script`, kilobytes(new Set([...keys].map((key) => manifest[key].file))), limits[kind])
  row(`${name} (${kind}), styles`, kilobytes(new Set([...keys].flatMap((key) => manifest[key].css ?? []))), stylesLimit)
}

for (const { file } of Object.values(manifest))
  if (file.endsWith('.js') && statSync(join(dist, file)).size > 1024) {
    statSync(join(dist, `${file}.br`))
    statSync(join(dist, `${file}.gz`))
    if (!/-[\w-]{7}\.js$/.test(file)) throw new Error(`${file} has no hash in its name`)
  }

process.exit(failed ? 1 : 0)
