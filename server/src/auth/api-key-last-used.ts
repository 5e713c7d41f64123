import { type Database, classifyDbError, sqlTime } from '../database/engine.ts'

/** Of many requests that come together one marks the key. */
const marking = new Set<string>()

/** Marks a key as used, at most once a minute: not a change in the sense of the one door. */
export const markApiKeyUsed = async (database: Database, token: string, lastUsed: string | null): Promise<void> => {
  if (marking.has(token) || (lastUsed !== null && Date.now() - Date.parse(lastUsed) < 60_000)) return
  marking.add(token)
  const last_used = sqlTime(database.engine, new Date())
  try {
    await database.db.updateTable('api_keys').set({ last_used }).where('token', '=', token).execute()
  } catch (error) {
    // Whoever only reads can do so while the disk is full.
    if (classifyDbError(error)?.fault !== 'unwritable') throw error
  } finally {
    marking.delete(token)
  }
}
