import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { Insertable, Selectable } from 'kysely'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/**
 * Registrations that wait for the code in the confirmation mail. The code is stored as a keyed hash because a plain
 * hash of six digits can be reversed. It is valid for half an hour and for five attempts.
 */

const codeSeconds = 1800
const maxAttempts = 5

export type Registration = Selectable<Tables['patchbay_registrations']>
export type NewRegistration = Omit<
  Insertable<Tables['patchbay_registrations']>,
  'code_hash' | 'tries_left' | 'expires_at'
>

export interface Codes {
  /**
   * Stores a registration and returns its code. Returns undefined if the address already has an account, in which case
   * no code is valid.
   *
   * @param chosenCode code that the caller chose instead of a random one
   */
  create(registration: NewRegistration, isTaken: boolean, chosenCode?: string): Promise<string | undefined>
  find(user_sid: string): Promise<Registration | undefined>
  /** Replaces the code. Returns undefined if no code is valid. */
  renew(registration: Registration): Promise<string | undefined>
  /** Returns the registration that the code confirms. Throws if the code is wrong, after counting the attempt. */
  check(user_sid: string, code: string): Promise<Registration>
  /** Deletes the registration in the transaction that it permits. Of two concurrent transactions, only one succeeds. */
  consume(write: WriteTransaction, user_sid: string): Promise<void>
  removeOld(): Promise<void>
}

const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0')

export const createCodes = ({ db }: Database, secret: string): Codes => {
  const key = createHmac('sha256', secret).update('patchbay activation codes').digest()
  const hashCode = (user_sid: string, code: string) =>
    createHmac('sha256', key).update(`${user_sid} ${code}`).digest('hex')
  const createCode = (user_sid: string, isTaken: boolean, code = newCode()) => {
    // The hash is also computed for existing addresses, so that the response time does not reveal them.
    const code_hash = hashCode(user_sid, code)
    const validity = { tries_left: maxAttempts, expires_at: Date.now() + codeSeconds * 1000 }
    return { code: isTaken ? undefined : code, row: { ...validity, code_hash: isTaken ? null : code_hash } }
  }
  const matches = ({ user_sid, code_hash }: Registration, code: string): boolean =>
    code_hash !== null && timingSafeEqual(Buffer.from(code_hash), Buffer.from(hashCode(user_sid, code)))

  const find = (user_sid: string) =>
    db
      .selectFrom('patchbay_registrations')
      .selectAll()
      .where('user_sid', '=', user_sid)
      .where('expires_at', '>', Date.now())
      .executeTakeFirst()

  return {
    async create(registration, isTaken, chosenCode) {
      const { code, row } = createCode(registration.user_sid, isTaken, chosenCode)
      // An existing user may request several changes. Only the last one counts.
      await db.deleteFrom('patchbay_registrations').where('user_sid', '=', registration.user_sid).execute()
      await db
        .insertInto('patchbay_registrations')
        .values({ ...registration, ...row })
        .execute()
      return code
    },
    find,
    async renew({ user_sid, code_hash }) {
      const { code, row } = createCode(user_sid, code_hash === null)
      await db.updateTable('patchbay_registrations').set(row).where('user_sid', '=', user_sid).execute()
      return code
    },
    async check(user_sid, code) {
      // The attempt is counted before the code is checked, so that concurrent requests cannot exceed the limit.
      const { numUpdatedRows } = await db
        .updateTable('patchbay_registrations')
        .set((set) => ({ tries_left: set('tries_left', '-', 1) }))
        .where('user_sid', '=', user_sid)
        .where('tries_left', '>', 0)
        .executeTakeFirstOrThrow()
      const registration = numUpdatedRows > 0n ? await find(user_sid) : undefined
      return registration && matches(registration, code) ? registration : throwApiError('activation_code_invalid')
    },
    async consume({ trx }, user_sid) {
      const { numDeletedRows } = await trx
        .deleteFrom('patchbay_registrations')
        .where('user_sid', '=', user_sid)
        .executeTakeFirstOrThrow()
      if (numDeletedRows === 0n) throwApiError('activation_code_invalid')
    },
    async removeOld() {
      await db.deleteFrom('patchbay_registrations').where('expires_at', '<', Date.now()).execute()
    },
  }
}
