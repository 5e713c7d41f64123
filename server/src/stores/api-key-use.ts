import { type Database, faultOf, sqlTime } from '../database/engine.ts'

/** Marks a key as used, at most once a minute: not a change in the sense of the one door. */
export const markApiKeyUsed = async (database: Database, token: string, lastUsed: string | null): Promise<void> => {
  if (lastUsed !== null && Date.now() - Date.parse(lastUsed) < 60_000) return
  const last_used = sqlTime(database.engine, new Date())
  try {
    await database.db.updateTable('api_keys').set({ last_used }).where('token', '=', token).execute()
  } catch (error) {
    // Whoever only reads can do so while the disk is full.
    if (faultOf(error)?.fault !== 'unwritable') throw error
  }
}
