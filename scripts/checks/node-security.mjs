// Compares the pinned version of Node.js, and the oldest safe one of each release line, with the list of releases that
// Node.js publishes. Fails if a version is older than the newest security release of its line, or is not in the list.
//
//   node scripts/checks/node-security.mjs [FILE]    FILE: a copy of the list
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isProgram, repositoryRoot } from '../run/ensure-node.mjs'
import { isAtLeast, parseNodeRange } from '../run/node-versions.mjs'

/** See https://github.com/nodejs/nodejs-dist-indexer for the format. */
const releasesUrl = 'https://nodejs.org/dist/index.json'

/** Returns the newest security release of a line, or undefined. */
function findNewestSecurityRelease(releases, line) {
  return releases
    .filter(({ security }) => security === true)
    .map(({ version }) => version.replace(/^v/, ''))
    .filter((version) => Number.parseInt(version, 10) === line)
    .reduce((newest, version) => (newest === undefined || isAtLeast(version, newest) ? version : newest), undefined)
}

/**
 * Returns a sentence for each version that is not safe.
 * @param {{ version: string, security: boolean }[]} releases
 * @param {{ pinned: string, range: string }} used
 */
export function findUnsafeVersions(releases, { pinned, range }) {
  const used = [
    { file: 'scripts/run/node-version.json', version: pinned },
    ...parseNodeRange(range).map(({ oldest }) => ({ file: 'engines.node of package.json', version: oldest })),
  ]
  return used.flatMap(({ file, version }) => {
    const line = Number.parseInt(version, 10)
    if (!releases.some((release) => release.version === `v${version}`))
      return [`${file}: ${version} is not in the list of releases of Node.js`]
    const newest = findNewestSecurityRelease(releases, line)
    if (newest === undefined || isAtLeast(version, newest)) return []
    return [`${file}: ${version} is older than ${newest}, the newest security release of Node.js ${line}`]
  })
}

async function readReleases(file) {
  if (file !== undefined) return JSON.parse(readFileSync(file, 'utf8'))
  const response = await fetch(releasesUrl, { signal: AbortSignal.timeout(30_000) })
  if (!response.ok) throw new Error(`${releasesUrl} responded with ${response.status}`)
  return response.json()
}

if (isProgram(import.meta.url)) {
  const read = (file) => JSON.parse(readFileSync(join(repositoryRoot, file), 'utf8'))
  const used = { pinned: read('scripts/run/node-version.json').version, range: read('package.json').engines.node }
  const problems = findUnsafeVersions(await readReleases(process.argv[2]), used)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
