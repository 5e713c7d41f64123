// `npm run screenshots`: installs and builds if something has changed, then takes the pictures in docs/images.
import { installAndBuild } from './run/install-and-build.mjs'
import { runOnPinnedNode, repositoryRoot, execReplacing } from './run/ensure-node.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  await installAndBuild(repositoryRoot, 'all')
  const args = ['e2e/screenshots/take-screenshots.ts', ...process.argv.slice(2)]
  await execReplacing(process.execPath, args, process.env, repositoryRoot)
})
