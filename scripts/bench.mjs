// `npm run bench:…`: install and build when something changed since the last time, then measure.
import { buildIfNeeded, installIfNeeded } from './prepare.mjs'
import { program, repositoryRoot, runInstead } from './runtime.mjs'

await program(import.meta.url, async () => {
  const [name, ...args] = process.argv.slice(2)
  await installIfNeeded(repositoryRoot, 'all')
  await buildIfNeeded(repositoryRoot)
  await runInstead(process.execPath, [`bench/${name}.ts`, ...args], process.env, repositoryRoot)
})
