// `node scripts/upgrade-fixtures.mjs RELEASE`: builds a release of testkit/src/releases/released-version.ts, and writes the databases
// that later versions have to open.
import { repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'
import { installAndBuild } from './run/install-and-build.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  await installAndBuild(repositoryRoot, 'all')
  const [{ releaseNames }, { fixtureKinds, writeFixture }, { startMariaDb }] = await Promise.all([
    import('../testkit/src/releases/released-version.ts'),
    import('../testkit/src/releases/upgrade-fixture.ts'),
    import('../testkit/src/servers/mariadb.ts'),
  ])
  const [release] = process.argv.slice(2)
  if (!releaseNames.includes(release)) throw new Error(`Name one of ${releaseNames.join(', ')}.`)
  const server = await startMariaDb()
  try {
    for (const kind of fixtureKinds) await writeFixture(release, kind, server)
  } finally {
    await server.stop()
  }
})
