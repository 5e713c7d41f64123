import { classifyDbError, type Database, sqlTime } from '../database/engine.ts'

/** Keys that are being updated. Of concurrent requests with the same key, only one updates it. */
const keysInProgress = new Set<string>()

/**
 * Updates the last use of an API key, at most once a minute. It bypasses the write transaction because it is not a
 * change to be audited.
 */
export const markApiKeyUsed = async (database: Database, token: string, lastUsed: string | null): Promise<void> => {
  if (keysInProgress.has(token) || (lastUsed !== null && Date.now() - Date.parse(lastUsed) < 60_000)) return
  keysInProgress.add(token)
  const last_used = sqlTime(database.engine, new Date())
  try {
    await database.db.updateTable('api_keys').set({ last_used }).where('token', '=', token).execute()
  } catch (error) {
    // A full disk must not fail requests that only read.
    if (classifyDbError(error)?.fault !== 'unwritable') throw error
  } finally {
    keysInProgress.delete(token)
  }
}
