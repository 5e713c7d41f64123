// `npm run bench:…`: installs and builds if something has changed, then runs a benchmark.

import { execReplacing, repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'
import { installAndBuild } from './run/install-and-build.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  const [name, ...args] = process.argv.slice(2)
  await installAndBuild(repositoryRoot, 'all')
  await execReplacing(process.execPath, [`bench/${name}.ts`, ...args], process.env, repositoryRoot)
})
