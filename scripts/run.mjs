// `node scripts/run.mjs TOOL …`: runs one of the installed tools, or a script (`*.mjs`), with the Node version of all
// scripts. Installs the development packages first if `npm start` has installed only what it needs.
import { delimiter, dirname, join } from 'node:path'
import { execReplacing, repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'
import { installIfNeeded } from './run/install-and-build.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  const [tool, ...args] = process.argv.slice(2)
  await installIfNeeded(repositoryRoot, 'all')
  const tools = join(repositoryRoot, 'node_modules/.bin')
  const env = { ...process.env, PATH: [tools, dirname(process.execPath), process.env.PATH].join(delimiter) }
  const [command, commandArgs] = tool.endsWith('.mjs') ? [process.execPath, [tool, ...args]] : [join(tools, tool), args]
  await execReplacing(command, commandArgs, env, repositoryRoot)
})
