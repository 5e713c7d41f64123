// `npm run admin:password`: install and build when something changed since the last time, then set it.
import { installAndBuild } from './prepare.mjs'
import { program, repositoryRoot, runInstead } from './runtime.mjs'

await program(import.meta.url, async () => {
  await installAndBuild(repositoryRoot, 'running')
  const args = ['server/dist/admin-password.mjs', ...process.argv.slice(2)]
  await runInstead(process.execPath, args, process.env, repositoryRoot)
})
