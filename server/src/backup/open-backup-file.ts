import type { VendorAddresses } from '../config/option-types.ts'
import type { BackupTarget } from '../config/settings/backup-target.ts'
import type { BackupFile } from './backup-file.ts'
import { openLocalFile } from './local-file.ts'

/** Opens the file or object of a target. The libraries of object storages load only if they are needed. */
export const openBackupFile = async (
  target: BackupTarget,
  vendorAddresses: VendorAddresses = {},
): Promise<BackupFile> =>
  target.is === 'path'
    ? openLocalFile(target.name)
    : (await import('./stored-object.ts')).openStoredObject(target, vendorAddresses)
