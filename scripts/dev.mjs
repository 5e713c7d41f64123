// `npm run dev`: rebuilds and restarts the server on changes. Vite serves the console and proxies the API.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'
import { installIfNeeded, server } from './run/install-and-build.mjs'

const vite = join(repositoryRoot, 'node_modules/vite/bin/vite.js')

await runOnPinnedNode(import.meta.url, async () => {
  await installIfNeeded(repositoryRoot, 'running')
  const children = [
    run([vite, 'build', '--watch'], 'server'),
    run(['--watch-path=server/dist', '--enable-source-maps', server], '.'),
    run([vite], 'console'),
  ]

  function run(args, folder) {
    const child = spawn(process.execPath, args, { cwd: join(repositoryRoot, folder), stdio: 'inherit' })
    child.once('exit', (code) => stop(code ?? 1))
    return child
  }

  let stopping = false
  function stop(code) {
    if (stopping) return
    stopping = true
    for (const child of children) child.kill('SIGTERM')
    process.exitCode = code
  }

  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(0))
})
