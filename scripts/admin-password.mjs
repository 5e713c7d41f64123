// `npm run admin:password`: install and build when something changed since the last time, then set it.
import { buildIfNeeded, installIfNeeded } from './prepare.mjs'
import { program, repositoryRoot, runInstead } from './runtime.mjs'

await program(import.meta.url, async () => {
  await installIfNeeded(repositoryRoot, 'running')
  await buildIfNeeded(repositoryRoot)
  const args = ['server/dist/admin-password.mjs', ...process.argv.slice(2)]
  await runInstead(process.execPath, args, process.env, repositoryRoot)
})
