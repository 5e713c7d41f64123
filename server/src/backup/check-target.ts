import { randomUUID } from 'node:crypto'
import { access, constants, stat } from 'node:fs/promises'
import type { VendorAddresses } from '../config/option-types.ts'
import { appendToTarget, type BackupTarget } from '../config/settings/backup-target.ts'
import { BackupError, withFileErrors } from './backup-error.ts'
import { openBackupFile } from './open-backup-file.ts'

/**
 * Checks, without writing anything, whether backups can be written to a folder, or a bucket accepts the credentials.
 * Returns a sentence.
 * @throws BackupError that says why not
 */
export const checkBackupTarget = async (target: BackupTarget, vendorAddresses: VendorAddresses): Promise<string> => {
  if (target.is === 'object') {
    const file = await openBackupFile(appendToTarget(target, `patchbay-test-${randomUUID()}`), vendorAddresses)
    await file.exists()
    return 'The storage accepts the credentials.'
  }
  await withFileErrors('Backups cannot be written', target.name, async () => {
    if (!(await stat(target.name)).isDirectory())
      throw new BackupError(`Backups cannot be written: ${target.name}: it is not a folder.`)
    await access(target.name, constants.W_OK)
  })
  return 'The folder is writable.'
}
