// `npm run release`: builds the current commit and packs it into `dist/`, so that it runs on Node.js 24 or 26 without an
// installation. Two runs on the same commit produce the same bytes, whatever is installed in the checkout.
// `-- --allow-dirty` packs the changed files of the checkout instead, and marks the version.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { checkContents, createBillOfMaterials, listNotices } from './release/bill-of-materials.mjs'
import { readReleaseCommit, withBuiltSources } from './release/build-sources.mjs'
import { copyRuntimePackages, runtimePackages } from './release/runtime-packages.mjs'
import { readVersion } from './release/version.mjs'
import { repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'

/** The program of the archive. It lies where the server expects the console beside it. */
const program = `#!/usr/bin/env node
await import('./server/dist/main.mjs')
`

/** Returns the `package.json` of the archive. With it, the archive is also a package for npm. */
function createManifest(root, { version, commit }) {
  const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const { name, description, license, type, engines } = read('package.json')
  const { dependencies } = read('server/package.json')
  return {
    name,
    version,
    gitHead: commit,
    description,
    license,
    type,
    engines,
    bin: { [name]: 'patchbay.mjs' },
    dependencies: Object.fromEntries(runtimePackages.map((each) => [each, dependencies[each]])),
    bundleDependencies: runtimePackages,
  }
}

/** Copies everything that the program needs into a folder, without source maps and compiled code. */
function fillFolder(root, folder, release) {
  const leftOut = ['.map', '.built', 'compile-cache']
  const isShipped = (path) => !leftOut.some((ending) => path.endsWith(ending))
  for (const part of ['server/dist', 'console/dist'])
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: isShipped })
  // The documentation, and the files that its how-to guides use.
  const tests = join(root, 'deploy/test')
  for (const part of ['docs', 'deploy'])
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: (path) => path !== tests })
  const documents = readdirSync(root).filter((file) => file.endsWith('.md'))
  for (const file of ['LICENSE', ...documents]) cpSync(join(root, file), join(folder, file))
  copyRuntimePackages(root, folder)
  checkContents(root, folder)
  const tool = join(root, 'node_modules/.cyclonedx')
  writeFileSync(join(folder, 'sbom.cdx.json'), createBillOfMaterials(root, release, tool))
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), listNotices(root))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(createManifest(root, release), null, 2)}\n`)
  writeFileSync(join(folder, 'patchbay.mjs'), program)
  chmodSync(join(folder, 'patchbay.mjs'), 0o755)
  // The permissions of files that are copied or unpacked depend on the user.
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', folder])
}

/** Returns an archive whose bytes depend on names, contents, and the given time only. */
function createArchive(parent, name, time) {
  const fixed = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner', '--format=posix']
  const stable = '--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime'
  const options = { cwd: parent, maxBuffer: 1024 ** 3, env: { ...process.env, LC_ALL: 'C' } }
  const archive = execFileSync('tar', [...fixed, stable, '-cf', '-', name], options)
  return gzipSync(archive, { level: 9 })
}

/**
 * Creates the release of the current commit in `target`.
 *
 * @param {{ allowDirty?: boolean }} options whether to pack the changed files of the checkout, if there are any
 * @returns the `version`, which is marked if files have changed, `commit`, and `time` of its commit, the path of the
 * `archive`, and the `folder` with its files
 * @throws {Error} if files have changed, or if the release contains a package that its bill of materials lacks
 */
export function createRelease(target, { allowDirty = false } = {}) {
  const source = readReleaseCommit(repositoryRoot, allowDirty)
  const version = `${readVersion(repositoryRoot)}${source.modified ? '-modified' : ''}`
  const title = `patchbay-${version}`
  const folder = join(target, title)
  const archive = join(target, `${title}.tar.gz`)
  const release = { ...source, version }
  rmSync(target, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  withBuiltSources(repositoryRoot, source, (root) => fillFolder(root, folder, release))
  writeFileSync(archive, createArchive(target, title, source.time))
  cpSync(join(folder, 'sbom.cdx.json'), join(target, `${title}.sbom.cdx.json`))
  const published = readdirSync(target).filter((file) => file.startsWith(`${title}.`))
  const sums = published.map((file) => `${sha256(readFileSync(join(target, file)))}  ${file}\n`)
  writeFileSync(join(target, 'SHA256SUMS'), sums.join(''))
  return { ...release, archive, folder }
}

function sha256(content) {
  return createHash('sha256').update(content).digest('hex')
}

/** Returns whether the arguments allow a release of changed files. */
export function readReleaseOptions(args) {
  const unknown = args.find((arg) => arg !== '--allow-dirty')
  if (unknown !== undefined) throw new Error(`Unknown option ${unknown}.`)
  return { allowDirty: args.length > 0 }
}

await runOnPinnedNode(
  import.meta.url,
  () => {
    const { archive } = createRelease(join(repositoryRoot, 'dist'), readReleaseOptions(process.argv.slice(2)))
    console.log(`Created ${archive}`)
  },
  { isExact: true },
)
