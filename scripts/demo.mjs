// `npm run demo`: installs and builds if something has changed, then fills a new database.
import { installAndBuild } from './install-and-build.mjs'
import { runOnPinnedNode, repositoryRoot, execReplacing } from './ensure-node.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  await installAndBuild(repositoryRoot, 'running')
  await execReplacing(process.execPath, ['server/dist/demo.mjs', ...process.argv.slice(2)], process.env, repositoryRoot)
})
