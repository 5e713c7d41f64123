import type { Command } from 'commander'
import { restoreBackup } from '../backup/restore-backup.ts'
import { readBackupSettings } from '../config/configuration.ts'
import { describeContent, toJsonResult } from './backup-report.ts'
import { jsonOption, printResult } from './output.ts'

const run = async (file: string, { json }: { json?: boolean }): Promise<void> => {
  const { location, passphrase } = readBackupSettings(process.env)
  const summary = await restoreBackup({ location, file, getPassphrase: () => Promise.resolve(passphrase) })
  printResult(json, toJsonResult(file, summary), `Restored ${file}: ${describeContent(summary)}.\n`)
}

/** `patchbay restore`: restores a backup into the empty database that the server's settings select. */
export const configure = (command: Command): void => {
  command
    .description(
      'Restore a backup into an empty database and a DATA_DIR without recordings. Stop Patchbay first. The backup can ' +
        'come from another database engine or an older version. If the command fails or is interrupted, the database ' +
        'is still empty.',
    )
    .argument('<file>', 'path of the backup')
    .option(...jsonOption)
    .action(run)
}
