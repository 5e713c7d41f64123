import { engines } from '../../package.json' with { type: 'json' }

/** The program. All else is loaded once this Node is known to have what it needs. */

const oldest = Number(engines.node.replace('>=', ''))

if (Number.parseInt(process.versions.node, 10) >= oldest) await import('./app/start.ts')
else {
  process.stderr.write(`Patchbay needs Node ${oldest} or newer, and this is ${process.versions.node}.\n`)
  process.exitCode = 1
}
