// `npm run demo`: install and build when something changed since the last time, then fill a fresh database.
import { installAndBuild } from './install-and-build.mjs'
import { runOnPinnedNode, repositoryRoot, execReplacing } from './ensure-node.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  await installAndBuild(repositoryRoot, 'running')
  await execReplacing(process.execPath, ['server/dist/demo.mjs', ...process.argv.slice(2)], process.env, repositoryRoot)
})
