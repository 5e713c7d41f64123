// `npm run demo`: install and build when something changed since the last time, then fill a fresh database.
import { installAndBuild } from './prepare.mjs'
import { program, repositoryRoot, runInstead } from './runtime.mjs'

await program(import.meta.url, async () => {
  await installAndBuild(repositoryRoot, 'running')
  await runInstead(process.execPath, ['server/dist/demo.mjs', ...process.argv.slice(2)], process.env, repositoryRoot)
})
