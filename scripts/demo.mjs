// `npm run demo`: install and build when something changed since the last time, then fill a fresh database.
import { spawn } from 'node:child_process'
import { buildIfNeeded, installIfNeeded, repositoryRoot } from './start.mjs'

try {
  await installIfNeeded(repositoryRoot)
  await buildIfNeeded(repositoryRoot)
  const program = ['server/dist/demo.mjs', ...process.argv.slice(2)]
  const child = spawn(process.execPath, program, { cwd: repositoryRoot, stdio: 'inherit' })
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
