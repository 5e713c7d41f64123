// `npm run demo`: install and build when something changed since the last time, then fill a fresh database.
import { buildIfNeeded, installIfNeeded } from './prepare.mjs'
import { program, repositoryRoot, runInstead } from './runtime.mjs'

await program(import.meta.url, async () => {
  await installIfNeeded(repositoryRoot, 'running')
  await buildIfNeeded(repositoryRoot)
  await runInstead(process.execPath, ['server/dist/demo.mjs', ...process.argv.slice(2)], process.env, repositoryRoot)
})
