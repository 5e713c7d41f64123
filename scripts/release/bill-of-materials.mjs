// Lists what a release contains: the bill of materials in CycloneDX format, and the licenses of other authors.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listPackagePaths, readLock } from './runtime-packages.mjs'

const workspaces = ['contract', 'server', 'console']

/** Dependencies that build the release and are not part of it. */
const buildTools = new Set(['vite', '@vitejs/plugin-react'])

const getName = (path) => path.replace(/^.*node_modules\//, '')

/** Returns the packages of other authors in a release, from the lock file, as `[path, entry]` sorted by path. */
function listPackages(root) {
  const lock = readLock(root)
  const direct = workspaces.flatMap((workspace) =>
    Object.keys(lock[workspace].dependencies ?? {})
      .filter((name) => !buildTools.has(name) && !name.startsWith('@patchbay/'))
      .map((name) => [workspace, name]),
  )
  return listPackagePaths(lock, direct).map((path) => [path, lock[path]])
}

const toComponent = ([path, { version, integrity, license }]) => {
  const name = getName(path)
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: license
      ? [/ (?:OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } }]
      : [],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
  }
}

/**
 * Returns the packages of a release in CycloneDX 1.5. `npm sbom --omit dev` leaves out packages that a workspace for
 * tests needs too, so it is not used. Time and serial number depend on the commit only.
 * @param {number} time seconds since the Unix epoch
 */
export function listBillOfMaterials(root, time) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  // A version can be installed in several places.
  const components = listPackages(root).map(toComponent)
  const unique = [...new Map(components.map((component) => [component.purl, component])).values()]
  const hash = createHash('sha256').update(JSON.stringify(unique)).digest('hex')
  const [a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(hash).slice(1)
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${a}-${b}-8${c}-8${d}-${e}`,
    version: 1,
    metadata: {
      timestamp: new Date(time * 1000).toISOString(),
      component: { type: 'application', 'bom-ref': name, name, version, licenses: [{ license: { id: license } }] },
    },
    components: unique,
  }
}

const licenseFile = /^(?:license|licence|copying|notice)(?:[.-].*)?$/i

/** Returns the license texts of an installed package, or undefined if it has none. */
function readLicense(folder) {
  if (!existsSync(folder)) return undefined
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && licenseFile.test(entry.name))
    .map(({ name }) => readFileSync(join(folder, name), 'utf8').trim())
  return files.length === 0 ? undefined : files.join('\n\n')
}

/** Returns the names, versions, and licenses of the packages of other authors, with the texts of the licenses. */
export function listNotices(root) {
  const sections = listPackages(root).map(([path, { version, license }]) => {
    const title = `${getName(path)} ${version} (${license ?? 'see its license'})`
    const text = readLicense(join(root, path)) ?? 'The package contains no license text.'
    return `${title}\n${'='.repeat(title.length)}\n\n${text}\n`
  })
  return `Patchbay contains these packages of other authors.\n\n${[...new Set(sections)].join('\n')}`
}
