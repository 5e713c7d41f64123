// Provides chDB, which is ClickHouse as a library, for the tests with ClickHouse. It has 546 MB, so it is fetched into
// .cache on first use and is no dependency of the workspaces.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, repositoryRoot, runOnPinnedNode } from './ensure-node.mjs'

const { packages } = JSON.parse(readFileSync(join(repositoryRoot, 'scripts/run/chdb-version.json'), 'utf8'))

const cacheFolder = join(repositoryRoot, '.cache/chdb')

/** Returns the npm package with the library for a machine, or undefined. The packages for Linux require glibc. */
export function chdbLibraryName({ platform, arch }) {
  const name = `@chdb/lib-${platform}-${arch}${platform === 'linux' ? '-gnu' : ''}`
  return name in packages ? name : undefined
}

/**
 * Returns the folder of the package chdb. Downloads it from the npm registry if necessary.
 * @returns {Promise<string>}
 */
export async function ensureChdb() {
  const library = chdbLibraryName(process)
  if (library === undefined)
    throw new Error(
      `The tests with ClickHouse need chDB, which does not exist for ${process.platform} on ${process.arch}.`,
    )
  const folder = join(cacheFolder, packages.chdb.version)
  if (!existsSync(folder)) fetchChdb(library, folder)
  return join(folder, 'node_modules/chdb')
}

function fetchChdb(library, folder) {
  mkdirSync(cacheFolder, { recursive: true })
  const work = mkdtempSync(join(cacheFolder, 'fetching-'))
  try {
    const lock = createLockFile(library)
    writeFileSync(join(work, 'package.json'), JSON.stringify({ private: true, ...lock.packages[''] }))
    writeFileSync(join(work, 'package-lock.json'), JSON.stringify(lock))
    console.log('Fetching ClickHouse as a library (chDB, 546 MB) into .cache, once…')
    npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--workspaces=false'], work)
    // The rename is atomic. Another process can download the same version concurrently, and either result is valid.
    if (!existsSync(folder)) renameSync(work, folder)
  } catch (error) {
    if (existsSync(folder)) return
    throw new Error(`chDB could not be fetched from the npm registry. Try again.\n${error.stderr || error.message}`, {
      cause: error,
    })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The lock file makes npm verify the checksums of the pinned versions. */
function createLockFile(library) {
  const names = Object.keys(packages).filter((name) => !name.startsWith('@chdb/') || name === library)
  const dependencies = Object.fromEntries(names.map((name) => [name, packages[name].version]))
  const entries = names.map((name) => [`node_modules/${name}`, packages[name]])
  return { lockfileVersion: 3, packages: { '': { dependencies }, ...Object.fromEntries(entries) } }
}

await runOnPinnedNode(import.meta.url, async () => {
  console.log(`chDB      ${await ensureChdb()}`)
})
