import { throwApiError } from '@patchbay/contract/errors'
import type { Insertable, Selectable } from 'kysely'
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/**
 * Registrations that wait for the code that was mailed. It is made here, kept as a keyed hash (of six digits a plain one
 * is no secret), good for half an hour, and gone after five wrong ones.
 */

const codeSeconds = 1800
const tries = 5

export type Registration = Selectable<Tables['patchbay_registrations']>
export type NewRegistration = Omit<
  Insertable<Tables['patchbay_registrations']>,
  'code_hash' | 'tries_left' | 'expires_at'
>

export interface Codes {
  /** Answers the code; undefined where none is ever right, since the address has an account. */
  begin(registration: NewRegistration, isTaken: boolean): Promise<string | undefined>
  find(user_sid: string): Promise<Registration | undefined>
  /** Another code in place of the last; undefined where none is ever right. */
  again(registration: Registration): Promise<string | undefined>
  /** What the code confirms. Throws where it is wrong, after counting that. */
  check(user_sid: string, code: string): Promise<Registration>
  /** With what it allows: of two at once one goes on. */
  useUp(write: WriteTransaction, user_sid: string): Promise<void>
  removeOld(): Promise<void>
}

const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0')

export const createCodes = ({ db }: Database, secret: string): Codes => {
  const key = createHmac('sha256', secret).update('patchbay activation codes').digest()
  const hashOf = (user_sid: string, code: string) =>
    createHmac('sha256', key).update(`${user_sid} ${code}`).digest('hex')
  const standing = (user_sid: string, isTaken: boolean) => {
    const code = newCode()
    // As much work for the one as for the other.
    const code_hash = hashOf(user_sid, code)
    const fresh = { tries_left: tries, expires_at: Date.now() + codeSeconds * 1000 }
    return { code: isTaken ? undefined : code, row: { ...fresh, code_hash: isTaken ? null : code_hash } }
  }
  const matches = ({ user_sid, code_hash }: Registration, code: string): boolean =>
    code_hash !== null && timingSafeEqual(Buffer.from(code_hash), Buffer.from(hashOf(user_sid, code)))

  const find = (user_sid: string) =>
    db
      .selectFrom('patchbay_registrations')
      .selectAll()
      .where('user_sid', '=', user_sid)
      .where('expires_at', '>', Date.now())
      .executeTakeFirst()

  return {
    async begin(registration, isTaken) {
      const { code, row } = standing(registration.user_sid, isTaken)
      // A user who exists may ask for one thing after another: the last counts.
      await db.deleteFrom('patchbay_registrations').where('user_sid', '=', registration.user_sid).execute()
      await db
        .insertInto('patchbay_registrations')
        .values({ ...registration, ...row })
        .execute()
      return code
    },
    find,
    async again({ user_sid, code_hash }) {
      const { code, row } = standing(user_sid, code_hash === null)
      await db.updateTable('patchbay_registrations').set(row).where('user_sid', '=', user_sid).execute()
      return code
    },
    async check(user_sid, code) {
      // Counted before the code is looked at: many at once are no way around.
      const { numUpdatedRows } = await db
        .updateTable('patchbay_registrations')
        .set((set) => ({ tries_left: set('tries_left', '-', 1) }))
        .where('user_sid', '=', user_sid)
        .where('tries_left', '>', 0)
        .executeTakeFirstOrThrow()
      const found = numUpdatedRows > 0n ? await find(user_sid) : undefined
      return found && matches(found, code) ? found : throwApiError('wrong_code')
    },
    async useUp({ trx }, user_sid) {
      const { numDeletedRows } = await trx
        .deleteFrom('patchbay_registrations')
        .where('user_sid', '=', user_sid)
        .executeTakeFirstOrThrow()
      if (numDeletedRows === 0n) throwApiError('wrong_code')
    },
    async removeOld() {
      await db.deleteFrom('patchbay_registrations').where('expires_at', '<', Date.now()).execute()
    },
  }
}
