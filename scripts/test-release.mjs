// `npm run test:release`: tests the archive of a release and installations with several programs. Takes longer than
// `npm test`, which must have passed. Words after `--` select test files.
import { runOnPinnedNode, repositoryRoot, execReplacing } from './ensure-node.mjs'
import { ensureHaproxy, ensureMariaDb, ensureRedis } from './ensure-tools.mjs'
import { buildIfNeeded, installIfNeeded } from './install-and-build.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  await installIfNeeded(repositoryRoot, 'all')
  await buildIfNeeded(repositoryRoot)
  const paths = {
    MARIADBD_PATH: await ensureMariaDb(),
    REDIS_SERVER_PATH: await ensureRedis(),
    HAPROXY_PATH: await ensureHaproxy(),
  }
  const args = ['scripts/run.mjs', 'vitest', 'run', '--project', 'release', ...process.argv.slice(2)]
  await execReplacing(process.execPath, args, { ...process.env, ...paths }, repositoryRoot)
})
