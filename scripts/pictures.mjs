// `npm run screenshots`: installs and builds if something has changed, then takes the pictures in docs/images.

import { execReplacing, repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'
import { installAndBuild } from './run/install-and-build.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  await installAndBuild(repositoryRoot, 'all')
  const args = ['e2e/screenshots/take-screenshots.ts', ...process.argv.slice(2)]
  await execReplacing(process.execPath, args, process.env, repositoryRoot)
})
