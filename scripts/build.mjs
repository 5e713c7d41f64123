// `npm run build`: installs and builds if something has changed.
import { buildIfNeeded, installIfNeeded } from './run/install-and-build.mjs'
import { runOnPinnedNode, repositoryRoot } from './run/ensure-node.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  await installIfNeeded(repositoryRoot, 'running')
  if (!(await buildIfNeeded(repositoryRoot))) console.log('Built already, and nothing changed since.')
})
