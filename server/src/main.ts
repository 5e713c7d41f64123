// Named imports that an older Node lacks would fail with a syntax error before the check.
import module from 'node:module'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { canRunOn, describeNodeRange } from '../../scripts/run/node-versions.mjs'

/**
 * The entry point. It loads the rest only if this version of Node is recent enough, and starts the server without
 * loading the library for command lines.
 */

const { node: safeRange } = packageJson.engines
const args = process.argv.slice(2)

if (!canRunOn(process.versions.node, safeRange)) {
  process.stderr.write(`Patchbay needs Node ${describeNodeRange(safeRange)}, and this is ${process.versions.node}.\n`)
  process.exitCode = 1
} else {
  // Later starts read the compiled code of the previous one. The folder has the permissions of the program itself, unlike
  // Node's default in /tmp, and Node ignores a folder that cannot be written.
  module.enableCompileCache(join(import.meta.dirname, 'compile-cache'))
  if (args.length === 0 || (args.length === 1 && args[0] === 'start'))
    await (await import('./app/start-server.ts')).startServer()
  else await (await import('./cli/program.ts')).runCommandLine(args)
}
