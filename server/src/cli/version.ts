import type { Command } from 'commander'
import { buildInfo, describeCommit } from '../lib/build-info.ts'
import { jsonOption, printResult } from './output.ts'

/** `patchbay version`: prints the versions of Patchbay and Node, and the commit. */
export const configure = (command: Command): void => {
  command
    .description('Print the versions of Patchbay and Node.js, and the commit.')
    .option(...jsonOption)
    .action(({ json }: { json?: boolean }) => {
      const { version, commit, modified } = buildInfo
      const node = process.versions.node
      const text = `Patchbay ${version} (${describeCommit(buildInfo)}, Node.js ${node})\n`
      printResult(json, { version, node, commit, modified }, text)
    })
}
