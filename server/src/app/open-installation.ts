import type { Configuration } from '../config/configuration.ts'
import { storeNewSecrets } from '../config/secrets.ts'
import { type FoundKey, findEncryptionKey, storeEncryptionCheck } from '../database/encryption-check.ts'
import type { Database } from '../database/engine.ts'
import { type MigrationResult, openMigrated } from '../database/migrations.ts'

export interface OpenedInstallation {
  database: Database
  migrated: MigrationResult
  /** With the secret that encrypts the stored credentials. */
  configuration: Configuration
  /** The location of this secret, and whether the settings select it. */
  secret: { source: string; isSelected: boolean }
  /** The number of stored values that cannot be decrypted. */
  unreadable: number
}

/**
 * Opens the database of a configuration, decides which secret encrypts its stored credentials, and migrates it. If no
 * secret fits, nothing is changed or created.
 *
 * @param responseTimeoutSeconds see `openMigrated`
 * @throws EncryptionSecretError if no secret fits
 */
export const openInstallation = async (
  configuration: Configuration,
  responseTimeoutSeconds?: number,
): Promise<OpenedInstallation> => {
  const { dataDir, encryptionSecrets, legacyCrypto } = configuration
  const selected = { ...encryptionSecrets[0], legacy: legacyCrypto }
  const search: { found?: FoundKey } = {}
  const { database, migrated } = await openMigrated(configuration.database, {
    responseTimeoutSeconds,
    beforeChanges: async (db, tables) => {
      search.found = await findEncryptionKey(db, tables, configuration)
      // A secret is stored before anything is encrypted with it.
      await storeNewSecrets(dataDir, configuration.newSecretsFile)
    },
  })
  try {
    const { key: proven, isStored = false, unreadable = 0 } = search.found ?? {}
    const key = isStored && proven ? proven : await storeEncryptionCheck(database, proven ?? selected, configuration)
    return {
      database,
      migrated,
      configuration: { ...configuration, encryptionSecret: key.value, legacyCrypto: key.legacy },
      secret: { source: key.source, isSelected: key.value === selected.value && key.legacy === selected.legacy },
      unreadable,
    }
  } catch (error) {
    await database.close()
    throw error
  }
}
