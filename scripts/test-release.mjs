// `npm run test:release`: tests the archive and the container image of a release, and installations with several
// programs. Takes longer than `npm test`, which must have passed. Words after `--` select test files.

import { ensureChdb } from './run/ensure-chdb.mjs'
import { execReplacing, repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'
import { buildIfNeeded, installIfNeeded } from './run/install-and-build.mjs'
import { ensureProgram, programs } from './run/programs.mjs'

/** The programs without which no test can run, and those without which some tests are skipped, but never in CI. */
const required = ['mariadb', 'redis', 'haproxy']
const optional = ['buildah', 'mmdebstrap', 'kamailio', 'rtpengine', 'systemd']
export const releasePrograms = [...required, ...optional]

/** The programs that these tests run in a network namespace, which only root can create. */
const inNamespace = ['kamailio', 'rtpengine']

/** Returns the path of a program by its variable. */
async function findPath(key) {
  try {
    if (inNamespace.includes(key) && process.getuid?.() !== 0) throw new Error(`Only root can run ${key} on a network.`)
    return { [programs[key].variable]: await ensureProgram(key) }
  } catch (error) {
    if (process.env.CI || required.includes(key)) throw error
    console.warn(`Some tests are skipped. ${error.message}`)
    return {}
  }
}

await runOnPinnedNode(import.meta.url, async () => {
  await installIfNeeded(repositoryRoot, 'all')
  await buildIfNeeded(repositoryRoot)
  await ensureChdb()
  const paths = {}
  for (const key of releasePrograms) Object.assign(paths, await findPath(key))
  const projects = ['release', 'clickhouse'].flatMap((name) => ['--project', name])
  const args = ['scripts/run.mjs', 'vitest', 'run', ...projects, ...process.argv.slice(2)]
  await execReplacing(process.execPath, args, { ...process.env, ...paths }, repositoryRoot)
})
