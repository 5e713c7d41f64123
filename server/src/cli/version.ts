import type { Command } from 'commander'
import packageJson from '../../../package.json' with { type: 'json' }
import { jsonOption, printResult } from './output.ts'

/** `patchbay version`: prints the versions of Patchbay and Node. */
export const configure = (command: Command): void => {
  command
    .description('Print the versions of Patchbay and Node.js.')
    .option(...jsonOption)
    .action(({ json }: { json?: boolean }) => {
      const { version } = packageJson
      const node = process.versions.node
      printResult(json, { version, node }, `Patchbay ${version} (Node.js ${node})\n`)
    })
}
