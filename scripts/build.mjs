// `npm run build`: install and build when something changed since the last time.
import { buildIfNeeded, installIfNeeded } from './prepare.mjs'
import { runOnPinnedNode, repositoryRoot } from './runtime.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  await installIfNeeded(repositoryRoot, 'running')
  if (!(await buildIfNeeded(repositoryRoot))) console.log('Built already, and nothing changed since.')
})
