// `npm run fuzz -- [target …] [--seconds N] [--seed N] [--input FILE]`: runs parsers with mutated inputs (fuzz/main.ts).

import { execReplacing, repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'
import { installIfNeeded } from './run/install-and-build.mjs'

const usage = 'npm run fuzz -- [target …] [--seconds N] [--seed N] [--input FILE]'

await runOnPinnedNode(import.meta.url, async () => {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    console.log(`Usage: ${usage}`)
    return
  }
  // The targets run from source, so that nothing has to be built.
  await installIfNeeded(repositoryRoot, 'all')
  await execReplacing(process.execPath, ['fuzz/main.ts', ...args], process.env, repositoryRoot)
})
