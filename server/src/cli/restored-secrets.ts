import type { BackupSettings } from '../config/settings/backup-settings.ts'
import {
  describeFoundKey,
  EncryptionSecretError,
  type FoundKey,
  findEncryptionKey,
  type KnownSecrets,
} from '../database/encryption-check.ts'
import { withExistingDatabase } from '../database/migrations.ts'

/** Returns what the operator has to do so that a server continues to use a proven secret. */
const listStepsToKeep = ({ key }: FoundKey): string[] => {
  if (key === undefined) return []
  const [file, member] = key.source.split(' ')
  return [
    member === undefined
      ? `Start the server with the same ${key.source}.`
      : `Keep ${file} in the DATA_DIR of each process, or set ENCRYPTION_SECRET to the value of "${member}" in it.`,
  ]
}

const describeKey = async ({ location }: BackupSettings, secrets: KnownSecrets): Promise<string[]> => {
  try {
    return await withExistingDatabase(location.database, async (db, tables) => {
      const found = await findEncryptionKey(db, tables, secrets)
      return [...describeFoundKey(found, secrets), ...listStepsToKeep(found)]
    })
  } catch (error) {
    if (error instanceof EncryptionSecretError) return [error.message]
    throw error
  }
}

/**
 * Returns sentences that say which settings a server needs to read the stored credentials of a restored database. They
 * contain names only.
 */
export const describeRestoredSecrets = async (settings: BackupSettings): Promise<string[]> => {
  const { location, legacyCrypto, hasJwtSecret } = settings
  const encryptionSecrets = settings.listEncryptionSecrets()
  const sentences = await describeKey(settings, { dataDir: location.dataDir, encryptionSecrets, legacyCrypto })
  return location.database.engine === 'mysql' && !hasJwtSecret
    ? [...sentences, 'Set JWT_SECRET, which a server with DATABASE_URL needs to sign sessions.']
    : sentences
}
