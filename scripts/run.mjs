// `node scripts/run.mjs TOOL …`: runs one of the installed tools with the Node version of all scripts.
import { delimiter, dirname, join } from 'node:path'
import { runOnPinnedNode, repositoryRoot, execReplacing } from './ensure-node.mjs'

await runOnPinnedNode(import.meta.url, async () => {
  const [tool, ...args] = process.argv.slice(2)
  const tools = join(repositoryRoot, 'node_modules/.bin')
  const env = { ...process.env, PATH: [tools, dirname(process.execPath), process.env.PATH].join(delimiter) }
  await execReplacing(join(tools, tool), args, env, repositoryRoot)
})
