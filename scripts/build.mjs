// `npm run build`: installs and builds if something has changed.

import { repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'
import { buildIfNeeded, installIfNeeded } from './run/install-and-build.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  await installIfNeeded(repositoryRoot, 'running')
  if (!(await buildIfNeeded(repositoryRoot))) console.log('Built already, and nothing changed since.')
})
