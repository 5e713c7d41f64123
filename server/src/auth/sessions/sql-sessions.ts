import type { Transaction } from 'kysely'
import { sha256 } from '../../lib/sha256.ts'
import { type Database, inTransaction } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { throttle } from '../../lib/throttle.ts'
import type { Sessions } from './sessions.ts'

/** What is kept of a token. */
export const hashToken = sha256

const tidyEveryMilliseconds = 60_000

/** Sessions in our own table; tokens are kept as hashes, so that a copy of the database signs nobody in. */
export const createSqlSessions = (database: Database, now: () => number = Date.now): Sessions => {
  /** Not with every sign-in: on MySQL deletions of a range stand in the way of those who insert. */
  const tidy = throttle(tidyEveryMilliseconds, () =>
    inTransaction(database, (trx) => trx.deleteFrom('patchbay_sessions').where('expires_at', '<', now()).execute()),
  )
  const row = (token: string, user_sid: string, expires_at: number) => ({
    token_hash: hashToken(token),
    user_sid,
    expires_at,
  })
  return {
    async start(token, user_sid, expiresAt) {
      await tidy()
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
        const ending = trx.deleteFrom('patchbay_sessions').where('user_sid', '=', user_sid)
        return (except === undefined ? ending : ending.where('token_hash', '!=', hashToken(except))).execute()
      }
      await (within ? end(within) : inTransaction(database, end))
    },
  }
}
