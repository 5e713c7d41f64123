import type { Transaction } from 'kysely'
import { type Database, inTransaction } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { sha256 } from '../../lib/sha256.ts'
import { throttle } from '../../lib/throttle.ts'
import type { Sessions } from './sessions.ts'

/** Returns the form in which a token is stored. */
export const hashToken = sha256

const cleanupIntervalMs = 60_000

/**
 * Sessions in Patchbay's own table. Tokens are stored as hashes, so that a copy of the database does not allow signing
 * in.
 */
export const createSqlSessions = (database: Database, now: () => number = Date.now): Sessions => {
  /** Throttled because on MySQL a range deletion blocks concurrent inserts. */
  const deleteExpired = throttle(cleanupIntervalMs, () =>
    inTransaction(database, (trx) => trx.deleteFrom('patchbay_sessions').where('expires_at', '<', now()).execute()),
  )
  const row = (token: string, user_sid: string, expires_at: number) => ({
    token_hash: hashToken(token),
    user_sid,
    expires_at,
  })
  return {
    async start(token, user_sid, expiresAt) {
      await deleteExpired()
      await inTransaction(database, (trx) =>
        trx
          .insertInto('patchbay_sessions')
          .values(row(token, user_sid, expiresAt))
          .execute(),
      )
    },
    renew: (old, token, user_sid, expiresAt) =>
      inTransaction(database, async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('patchbay_sessions')
          .where('token_hash', '=', hashToken(old))
          .where('user_sid', '=', user_sid)
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) return false
        await trx
          .insertInto('patchbay_sessions')
          .values(row(token, user_sid, expiresAt))
          .execute()
        return true
      }),
    async endAll(user_sid, { except, trx: within }) {
      const end = (trx: Transaction<Tables>) => {
        const sessionsOfUser = trx.deleteFrom('patchbay_sessions').where('user_sid', '=', user_sid)
        return (
          except === undefined ? sessionsOfUser : sessionsOfUser.where('token_hash', '!=', hashToken(except))
        ).execute()
      }
      await (within ? end(within) : inTransaction(database, end))
    },
  }
}
