#!/usr/bin/env node
// `patchbay COMMAND`, also as `npm start` and other npm scripts: installs and builds if something has changed, then runs
// the command.
import { join } from 'node:path'
import { execReplacing, repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'
import { installAndBuild, server } from './run/install-and-build.mjs'

/** Returns the arguments of Node for running the server: options and the program. */
export const serverCommand = (root) => ['--max-semi-space-size=4', join(root, server)]

/** glibc keeps a memory arena for each thread. Two arenas are sufficient for this program. */
export const serverEnvironment = { MALLOC_ARENA_MAX: '2' }

await runOnPinnedNode(import.meta.url, async () => {
  await installAndBuild(repositoryRoot, 'running')
  const args = [...serverCommand(repositoryRoot), ...process.argv.slice(2)]
  // The current folder is kept, because arguments and settings can name files relative to it.
  await execReplacing(process.execPath, args, { ...serverEnvironment, ...process.env })
})
