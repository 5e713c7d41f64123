// Records which packages a bundle contains, for comparison with the bill of materials.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Outside of the bundle, which is served and shipped as a whole. */
const getFile = (folder, bundle) => join(folder, `node_modules/.bundled-${bundle}.json`)

/** Returns the path of the package of a module, as the lock file names it, or undefined for our own modules. */
export function toPackagePath(module) {
  const [, path] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(module.replaceAll('\\', '/')) ?? []
  return path === undefined ? undefined : relative(root, path).replaceAll('\\', '/')
}

/**
 * Creates a plugin for Vite that records the packages of a bundle.
 * @param {'console' | 'server'} name the bundle
 * @param {Iterable<string>} bundledBefore modules that the bundle contains as parts of other modules
 */
export function recordPackages(name, bundledBefore = []) {
  return {
    name: 'record-packages',
    apply: 'build',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) =>
        file.type === 'chunk' ? file.moduleIds : file.originalFileNames.map((path) => join(root, name, path)),
      )
      const paths = new Set([...modules, ...bundledBefore].flatMap((module) => toPackagePath(module) ?? []))
      writeFileSync(getFile(root, name), JSON.stringify([...paths].toSorted()))
    },
  }
}

/** Returns the paths of all packages in the bundles that were built in a folder. */
export function listBundledPackages(folder) {
  return ['console', 'server'].flatMap((name) => JSON.parse(readFileSync(getFile(folder, name), 'utf8')))
}
