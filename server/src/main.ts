import packageJson from '../../package.json' with { type: 'json' }

/** The entry point. It loads the rest only if this version of Node is recent enough. */

const minimumNodeVersion = Number(packageJson.engines.node.replace('>=', ''))

if (Number.parseInt(process.versions.node, 10) >= minimumNodeVersion) await import('./app/start.ts')
else {
  process.stderr.write(`Patchbay needs Node ${minimumNodeVersion} or newer, and this is ${process.versions.node}.\n`)
  process.exitCode = 1
}
