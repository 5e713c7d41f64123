// `npm run release`: builds Patchbay and packs it into `dist/`, so that it runs on Node 24 or 26 without an installation.
// Two runs on the same commit produce the same bytes.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { repositoryRoot, runOnPinnedNode } from './ensure-node.mjs'
import { buildIfNeeded, installIfNeeded } from './install-and-build.mjs'
import { listBillOfMaterials, listNotices } from './release/bill-of-materials.mjs'
import { copyRuntimePackages, runtimePackages } from './release/runtime-packages.mjs'

const read = (file) => readFileSync(join(repositoryRoot, file), 'utf8')

/** The program of the archive. It lies where the server expects the console beside it. */
const program = `#!/usr/bin/env node
await import('./server/dist/main.mjs')
`

/** Returns the time of the commit, in seconds since the Unix epoch, so that builds of a commit have the same bytes. */
function getCommitTime() {
  if (process.env.SOURCE_DATE_EPOCH) return Number(process.env.SOURCE_DATE_EPOCH)
  return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: repositoryRoot, encoding: 'utf8' }))
}

/** Returns the `package.json` of the archive. With it, the archive is also a package for npm. */
function createManifest() {
  const { name, version, description, license, type, engines } = JSON.parse(read('package.json'))
  const { dependencies } = JSON.parse(read('server/package.json'))
  return {
    name,
    version,
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
function fillFolder(folder, time) {
  const leftOut = ['.map', '.built', 'compile-cache']
  const isShipped = (path) => !leftOut.some((ending) => path.endsWith(ending))
  for (const part of ['server/dist', 'console/dist'])
    cpSync(join(repositoryRoot, part), join(folder, part), { recursive: true, filter: isShipped })
  for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md'])
    cpSync(join(repositoryRoot, file), join(folder, file))
  copyRuntimePackages(repositoryRoot, folder)
  const materials = listBillOfMaterials(repositoryRoot, time)
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(materials, null, 2)}\n`)
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), listNotices(repositoryRoot))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(createManifest(), null, 2)}\n`)
  writeFileSync(join(folder, 'patchbay.mjs'), program)
  chmodSync(join(folder, 'patchbay.mjs'), 0o755)
}

/** Returns an archive whose bytes depend on names, contents, and the given time only. */
function createArchive(parent, name, time) {
  const fixed = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner', '--format=posix']
  const stable = '--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime'
  const permissions = '--mode=u=rwX,go=rX'
  const options = { cwd: parent, maxBuffer: 1024 ** 3 }
  const archive = execFileSync('tar', [...fixed, stable, permissions, '-cf', '-', name], options)
  return gzipSync(archive, { level: 9 })
}

/** Creates the release in `target`. Returns the path of the archive. */
export function createRelease(target) {
  const { name, version } = JSON.parse(read('package.json'))
  const title = `${name}-${version}`
  const time = getCommitTime()
  const folder = join(target, title)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  fillFolder(folder, time)
  const archive = join(target, `${title}.tar.gz`)
  writeFileSync(archive, createArchive(target, title, time))
  cpSync(join(folder, 'sbom.cdx.json'), join(target, `${title}.sbom.cdx.json`))
  const published = readdirSync(target).filter((file) => file.startsWith(`${title}.`))
  const sums = published.map((file) => `${sha256(readFileSync(join(target, file)))}  ${file}\n`)
  writeFileSync(join(target, 'SHA256SUMS'), sums.join(''))
  return archive
}

function sha256(content) {
  return createHash('sha256').update(content).digest('hex')
}

await runOnPinnedNode(import.meta.url, async () => {
  await installIfNeeded(repositoryRoot, 'running')
  await buildIfNeeded(repositoryRoot)
  console.log(`Created ${createRelease(join(repositoryRoot, 'dist'))}`)
})
