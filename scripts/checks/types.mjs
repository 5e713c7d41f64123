// `npm run types`: checks the types of all packages, or of those in the arguments. The compiler keeps what it has checked
// in `tsconfig.tsbuildinfo` of each package, and checks only what a change can affect.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { isProgram, repositoryRoot } from '../run/ensure-node.mjs'

/** Folders with a `tsconfig.json`. The first one contains the server and everything that it consists of. */
export const packageFolders = ['.', 'console', 'e2e', 'bench', 'fuzz']

if (isProgram(import.meta.url)) {
  const chosen = process.argv.slice(2)
  const failed = (chosen.length > 0 ? chosen : packageFolders).filter((folder) => !hasValidTypes(folder))
  if (failed.length > 0) process.exitCode = 1
}

function hasValidTypes(folder) {
  try {
    const compiler = join(repositoryRoot, 'node_modules/.bin/tsc')
    execFileSync(compiler, ['-p', join(folder, 'tsconfig.json')], { cwd: repositoryRoot, stdio: 'inherit' })
    return true
  } catch {
    return false
  }
}
