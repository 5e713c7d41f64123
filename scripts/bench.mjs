// `npm run bench:…`: install and build when something changed since the last time, then measure.
import { installAndBuild } from './prepare.mjs'
import { program, repositoryRoot, runInstead } from './runtime.mjs'

await program(import.meta.url, async () => {
  const [name, ...args] = process.argv.slice(2)
  await installAndBuild(repositoryRoot, 'all')
  await runInstead(process.execPath, [`bench/${name}.ts`, ...args], process.env, repositoryRoot)
})
