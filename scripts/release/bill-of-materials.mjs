// Lists what a release contains: the bill of materials in CycloneDX format, and the licenses of other authors.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { productPackages } from '../run/product-packages.mjs'
import { listBundledPackages } from './bundled-packages.mjs'
import { fetchPackage, listPackagePaths, nativePackages, readLock } from './runtime-packages.mjs'

/** Dependencies that build the release and are not part of it. */
const buildTools = new Set(['vite', '@vitejs/plugin-react'])

const cycloneDx = '@cyclonedx/cyclonedx-library'

const getName = (path) => path.replace(/^.*node_modules\//, '')
const toUrl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** Returns the packages of other authors in a release, from the lock file, as `[path, entry]` sorted by path. */
function listPackages(root) {
  const lock = readLock(root)
  const direct = productPackages.flatMap((workspace) =>
    Object.keys(lock[workspace].dependencies ?? {})
      .filter((name) => !buildTools.has(name) && !name.startsWith('@patchbay/'))
      .map((name) => [workspace, name]),
  )
  const native = nativePackages.map((name) => `node_modules/${name}`)
  return [...listPackagePaths(lock, direct), ...native].map((path) => [path, lock[path]])
}

/**
 * Verifies that the bill of materials contains every package that a release consists of.
 * @param {string} root the sources, which have been built
 * @param {string} folder the files of the release
 * @throws {Error} if a package is missing
 */
export function checkContents(root, folder) {
  const listed = new Set(listPackages(root).map(([path]) => path))
  const copied = readdirSync(folder, { recursive: true })
    .map((file) => file.replaceAll('\\', '/'))
    // Packages also contain files of this name in other folders.
    .flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(file)?.[1] ?? [])
  const missing = [...new Set([...listBundledPackages(root), ...copied])].filter((path) => !listed.has(path))
  if (missing.length > 0)
    throw new Error(`The release contains packages that are not in its bill of materials: ${missing.join(', ')}.`)
}

/**
 * Downloads the library of CycloneDX. It is not installed with the packages of a release, because a package that is
 * installed can become part of a bundle.
 */
function loadCycloneDx(root, folder) {
  fetchPackage(cycloneDx, readLock(root)[`node_modules/${cycloneDx}`], folder)
  return createRequire(import.meta.url)(folder)
}

/** Returns the serial number of a bill of materials, which depends on its contents only. */
function createSerialNumber(text) {
  const hash = createHash('sha256').update(text).digest('hex')
  const [a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(hash).slice(1)
  return `urn:uuid:${a}-${b}-8${c}-8${d}-${e}`
}

/**
 * Returns the bill of materials of a release as JSON of CycloneDX 1.6: its packages, and the Node.js that the container
 * image contains. `npm sbom --omit dev` and `cyclonedx-npm`, which is based on `npm ls`, cannot say which packages are in
 * a bundle, so the library of CycloneDX writes what the lock file and `checkContents` prove.
 *
 * @param {string} root the sources
 * @param {{ version: string, commit: string, modified: boolean, time: number }} source `time` in seconds since the epoch
 * @param {string} toolFolder where the library of CycloneDX is unpacked
 */
export function createBillOfMaterials(root, { version, commit, modified, time }, toolFolder) {
  const { Enums, Models, Serialize, Spec, SPDX } = loadCycloneDx(root, toolFolder)
  const readJson = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const toLicense = (license) => {
    if (SPDX.isSupportedSpdxId(license)) return new Models.SpdxLicense(license)
    return / (?:OR|AND|WITH) /.test(license) ? new Models.LicenseExpression(license) : new Models.NamedLicense(license)
  }
  const toComponent = ([path, { version: installed, integrity, license }]) => {
    const name = getName(path)
    const purl = toUrl(name, installed)
    const component = new Models.Component(Enums.ComponentType.Library, name, {
      version: installed,
      purl,
      bomRef: purl,
    })
    if (license) component.licenses.add(toLicense(license))
    const sha512 = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
    component.hashes.set(Enums.HashAlgorithm['SHA-512'], sha512)
    return component
  }

  const { name, license, engines } = readJson('package.json')
  const application = new Models.Component(Enums.ComponentType.Application, name, { version, bomRef: name })
  application.licenses.add(new Models.SpdxLicense(license))
  application.properties.add(new Models.Property('patchbay:commit', commit))
  application.properties.add(new Models.Property('patchbay:modified', String(modified)))

  const { version: nodeVersion } = readJson('scripts/run/node-version.json')
  const node = new Models.Component(Enums.ComponentType.Platform, 'node', {
    version: nodeVersion,
    bomRef: `pkg:generic/node@${nodeVersion}`,
    purl: `pkg:generic/node@${nodeVersion}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${nodeVersion}:*:*:*:*:*:*:*`,
    description: `Part of the container image. The archive runs on the installed Node.js ${engines.node}.`,
  })
  node.licenses.add(new Models.SpdxLicense('MIT'))

  const bom = new Models.Bom()
  bom.metadata.timestamp = new Date(time * 1000)
  bom.metadata.component = application
  // A version can be installed in several places.
  const libraries = new Map(
    listPackages(root)
      .map(toComponent)
      .map((component) => [component.purl, component]),
  )
  for (const component of [node, ...libraries.values()]) {
    bom.components.add(component)
    application.dependencies.add(component.bomRef)
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  const serialize = () => `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
  bom.serialNumber = createSerialNumber(serialize())
  return serialize()
}

const licenseFile = /^(?:license|licence|copying|notice)(?:[.-].*)?$/i

/** Returns the license texts of a package, or undefined if it has none. */
function readLicense(folder) {
  if (!existsSync(folder)) return undefined
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && licenseFile.test(entry.name))
    .map(({ name }) => readFileSync(join(folder, name), 'utf8').trim())
  return files.length === 0 ? undefined : files.join('\n\n')
}

/**
 * Returns the names, versions, and licenses of the packages of other authors, with the texts of the licenses.
 * @param {string} root the sources, in which the packages are installed
 */
export function listNotices(root) {
  const sections = listPackages(root).map(([path, { version, license }]) => {
    const title = `${getName(path)} ${version} (${license ?? 'see its license'})`
    // The native modules of other platforms are not installed. None of these packages has a license text of its own.
    const isNative = nativePackages.includes(getName(path))
    const text = isNative
      ? 'See @node-rs/argon2.'
      : (readLicense(join(root, path)) ?? 'The package contains no license text.')
    return `${title}\n${'='.repeat(title.length)}\n\n${text}\n`
  })
  return `Patchbay contains these packages of other authors.\n\n${[...new Set(sections)].join('\n')}`
}
