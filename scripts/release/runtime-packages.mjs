// The packages that the bundled server loads from `node_modules`: a native module, and modules that load on demand.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { npmCommand } from '../run/ensure-node.mjs'

/** The packages that `server/vite.config.ts` leaves out, and the one from which the server reads a WebAssembly file. */
export const runtimePackages = ['@node-rs/argon2', 'ioredis', 'mariadb', 'wasm-media-encoders']

/** Platforms whose native module is part of the archive. */
export const platforms = [
  'linux-x64-gnu',
  'linux-arm64-gnu',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64-msvc',
]

/** The packages with the native modules. npm installs only the one of this machine, so all of them are downloaded. */
export const nativePackages = platforms.map((platform) => `@node-rs/argon2-${platform}`)

/** Returns the entries of the lock file by path. */
export const readLock = (root) => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages

/** Returns the path at which a package finds a dependency, like Node: from the innermost `node_modules` outwards. */
function resolve(lock, from, name) {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    const nested = `${folder}/node_modules/${name}`
    if (nested in lock) return nested
    if (!folder.includes('/node_modules/')) return `node_modules/${name}`
  }
}

/**
 * Returns the paths of packages and of all their dependencies in the lock file, without optional ones.
 * @param {[from: string, name: string][]} packages the workspace that needs a package, and the name of the package
 */
export function listPackagePaths(lock, packages) {
  const paths = new Set()
  const visit = (path) => {
    if (paths.has(path)) return
    if (!(path in lock)) throw new Error(`package-lock.json does not contain ${path}.`)
    paths.add(path)
    for (const name of Object.keys(lock[path].dependencies ?? {})) visit(resolve(lock, path, name))
  }
  for (const [from, name] of packages) visit(resolve(lock, from, name))
  return [...paths].toSorted((one, other) => one.localeCompare(other, 'en'))
}

/** Downloads a package from the registry and verifies the checksum of the lock file. Unpacks it into `target`. */
export function fetchPackage(name, { version, integrity }, target) {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-package-'))
  try {
    const [npm, ...first] = npmCommand()
    const args = [...first, 'pack', `${name}@${version}`, '--pack-destination', folder, '--json', '--loglevel=error']
    const [{ filename }] = Object.values(JSON.parse(execFileSync(npm, args, { encoding: 'utf8' })))
    const file = join(folder, filename)
    const actual = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
    if (actual !== integrity) throw new Error(`${name}@${version} has another checksum than package-lock.json says.`)
    mkdirSync(target, { recursive: true })
    execFileSync('tar', ['-xzf', file, '-C', target, '--strip-components=1'])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Copies the packages into `target/node_modules`, with the native modules of all `platforms`. */
export function copyRuntimePackages(root, target) {
  const lock = readLock(root)
  const needed = runtimePackages.map((name) => ['server', name])
  for (const path of listPackagePaths(lock, needed)) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    // Packages in a nested `node_modules` have paths of their own.
    const isOwn = (source) => !source.slice(join(root, path).length).includes('/node_modules')
    cpSync(join(root, path), join(target, path), { recursive: true, filter: isOwn })
  }
  for (const name of nativePackages) {
    const path = `node_modules/${name}`
    fetchPackage(name, lock[path], join(target, path))
  }
}
