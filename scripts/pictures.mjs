// `npm run screenshots` takes the pictures in docs/images, and `npm run visual` compares the screens with approved pictures.
// If something has changed, they install and build first.

import { execReplacing, repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'
import { installAndBuild } from './run/install-and-build.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  await installAndBuild(repositoryRoot, 'all')
  const [program, ...args] = process.argv.slice(2)
  await execReplacing(process.execPath, [`e2e/visual/${program}.ts`, ...args], process.env, repositoryRoot)
})
