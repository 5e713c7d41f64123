import { createHash } from 'node:crypto'
import type { Database } from '../../database/engine.ts'
import type { Sessions } from './sessions.ts'

/** What is kept of a token. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Sessions in our own table; tokens are kept as hashes, so that a copy of the database signs nobody in. */
export const createSqlSessions = ({ db }: Database, now: () => number = Date.now): Sessions => ({
  async start(token, user_sid, expires_at) {
    await db.deleteFrom('patchbay_sessions').where('expires_at', '<', now()).execute()
    await db
      .insertInto('patchbay_sessions')
      .values({ token_hash: hashOf(token), user_sid, expires_at })
      .execute()
  },
  async endAll(user_sid, except) {
    let ending = db.deleteFrom('patchbay_sessions').where('user_sid', '=', user_sid)
    if (except !== undefined) ending = ending.where('token_hash', '!=', hashOf(except))
    await ending.execute()
  },
  async end(token, user_sid) {
    await db
      .deleteFrom('patchbay_sessions')
      .where('token_hash', '=', hashOf(token))
      .where('user_sid', '=', user_sid)
      .execute()
  },
})
