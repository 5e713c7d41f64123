// `npm run test:release`: tests the archive and the container image of a release, and installations with several
// programs. Takes longer than `npm test`, which must have passed. Words after `--` select test files.
import { runOnPinnedNode, repositoryRoot, execReplacing } from './ensure-node.mjs'
import { ensureChdb } from './ensure-chdb.mjs'
import {
  ensureBuildah,
  ensureHaproxy,
  ensureKamailio,
  ensureMariaDb,
  ensureMmdebstrap,
  ensureRedis,
  ensureRtpengine,
  ensureSystemdAnalyze,
} from './ensure-tools.mjs'
import { buildIfNeeded, installIfNeeded } from './install-and-build.mjs'

/** Returns the paths of optional programs. Their tests are skipped without them, but never in CI. */
async function findOptional(programs) {
  try {
    return await programs()
  } catch (error) {
    if (process.env.CI) throw error
    console.warn(`Some tests are skipped. ${error.message}`)
    return {}
  }
}

await runOnPinnedNode(import.meta.url, async () => {
  await installIfNeeded(repositoryRoot, 'all')
  await buildIfNeeded(repositoryRoot)
  await ensureChdb()
  const paths = {
    MARIADBD_PATH: await ensureMariaDb(),
    REDIS_SERVER_PATH: await ensureRedis(),
    HAPROXY_PATH: await ensureHaproxy(),
    ...(await findOptional(async () => ({
      BUILDAH_PATH: await ensureBuildah(),
      MMDEBSTRAP_PATH: await ensureMmdebstrap(),
    }))),
    ...(await findOptional(async () => ({
      KAMAILIO_PATH: await ensureKamailio(),
      RTPENGINE_PATH: await ensureRtpengine(),
    }))),
    ...(await findOptional(async () => ({ SYSTEMD_ANALYZE_PATH: await ensureSystemdAnalyze() }))),
  }
  const args = [
    'scripts/run.mjs',
    'vitest',
    'run',
    '--project',
    'release',
    '--project',
    'clickhouse',
    ...process.argv.slice(2),
  ]
  await execReplacing(process.execPath, args, { ...process.env, ...paths }, repositoryRoot)
})
