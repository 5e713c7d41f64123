// `npm start`: install and build when something changed since the last time, then run the server.
import { join } from 'node:path'
import { installAndBuild, server } from './install-and-build.mjs'
import { runOnPinnedNode, repositoryRoot, execReplacing } from './ensure-node.mjs'

/** How the server is run: what Node is told, and the program. */
export const serverCommand = (root) => ['--max-semi-space-size=4', join(root, server)]

/** glibc keeps memory for each thread that ever asked for some; two such stores are enough for this program. */
export const serverEnvironment = { MALLOC_ARENA_MAX: '2' }

await runOnPinnedNode(import.meta.url, async () => {
  await installAndBuild(repositoryRoot, 'running')
  const args = [...serverCommand(repositoryRoot), ...process.argv.slice(2)]
  await execReplacing(process.execPath, args, { ...serverEnvironment, ...process.env }, repositoryRoot)
})
