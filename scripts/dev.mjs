import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

// Development: the server is rebuilt and restarted as it changes, the console comes from Vite, which proxies the API.

const root = fileURLToPath(new URL('..', import.meta.url))

const run = (command, args, cwd) => {
  const child = spawn(command, args, { cwd, stdio: 'inherit' })
  child.once('exit', (code) => stop(code ?? 1))
  return child
}

const children = [
  run('npx', ['vite', 'build', '--watch'], `${root}server`),
  run(process.execPath, ['--watch-path=server/dist', '--enable-source-maps', 'server/dist/main.mjs'], root),
  run('npx', ['vite'], `${root}console`),
]

let stopping = false
function stop(code) {
  if (stopping) return
  stopping = true
  for (const child of children) child.kill('SIGTERM')
  process.exitCode = code
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(0))
