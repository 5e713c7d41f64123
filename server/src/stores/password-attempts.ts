import { refuse } from '@patchbay/contract/errors'
import { sql } from 'kysely'
import { createHash } from 'node:crypto'
import type { Database } from '../database/engine.ts'
import { networkOf } from '../network.ts'
import { nowAndThen } from '../now-and-then.ts'
import { inTurn, kindOf, verifyPassword } from '../passwords.ts'
import type { Counters } from '../platform/counters/counters.ts'

/**
 * Whether a password is right, and the lock-out: failures are counted by user and by address, alike for users that
 * exist and names that do not. An address may fail more often, since many users can share one.
 */
export interface PasswordAttempts {
  /** Throws while user or address are locked out, and with the failure that locks them out. */
  isRight(attempt: PasswordAttempt): Promise<boolean>
}

export interface PasswordAttempt {
  /** whose password it should be; undefined for nobody's */
  user: { user_sid: string; hashed_password: string | null } | undefined
  /** as typed, where there is no such user */
  name: string
  password: string
  address: string
  /** aborted when nobody waits for the answer any more */
  gone?: AbortSignal | undefined
}

const addressFactor = 10

/** An address from which the user signed in within these days is not locked out by what others try. */
const knownDays = 30

const readKindsEveryMilliseconds = 600_000

/** The beginning of each kind of stored hash: `$argon2id$v=19$m=19456,t=2,p=1$`. */
const beginning = sql<string | null>`
  substr(hashed_password, 1, instr(hashed_password, ',p=') +
    instr(substr(hashed_password, instr(hashed_password, ',p=')), '$') - 1)`

const fingerprint = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * A user is counted, not the name that found him: databases take several for the same. With the stored hash in the
 * name of the counter, whoever is given a new password is locked out no longer.
 */
const counterOf = ({ user, name }: PasswordAttempt): string =>
  user
    ? `login:user:${fingerprint(`${user.user_sid} ${user.hashed_password}`)}`
    : `login:name:${fingerprint(name.trim().toLowerCase())}`

const later = 'Maximum login attempts reached. Please try again later or reset your password.'

const lockedOut = (text: string): never => refuse('locked_out', { msg: text, error: text })

export const createPasswordAttempts = (
  { db }: Database,
  counters: Counters,
  { attempts, windowSeconds }: { attempts: number; windowSeconds: number },
): PasswordAttempts => {
  let kinds: string[] = []
  const readKinds = nowAndThen(readKindsEveryMilliseconds, Date.now, async () => {
    const rows = await db.selectFrom('users').select(beginning.as('kind')).distinct().execute()
    kinds = rows.flatMap(({ kind }) => kindOf(kind ?? '') ?? [])
  })

  const countersOf = async (attempt: PasswordAttempt) => {
    const network = networkOf(attempt.address)
    const known = `login:known:${attempt.user?.user_sid}:${network}`
    const shared = counterOf(attempt)
    const isKnown = attempt.user !== undefined && (await counters.read(known)) > 0
    return { known, address: `login:address:${network}`, user: isKnown ? `${shared}:${network}` : shared }
  }

  return {
    async isRight(attempt) {
      const { known, address, user } = await countersOf(attempt)
      const mostOfAddress = attempts * addressFactor
      if ((await counters.read(address)) >= mostOfAddress || (await counters.read(user)) >= attempts) lockedOut(later)
      await readKinds()
      return inTurn({ owner: address, gone: attempt.gone }, async () => {
        // Counted before the password is looked at and given back when it is right: many at once are no way around.
        const ofAddress = await counters.increment(address, windowSeconds)
        const ofUser = await counters.increment(user, windowSeconds)
        if (ofAddress > mostOfAddress || ofUser > attempts) lockedOut(later)
        const stored = attempt.user?.hashed_password ?? null
        if (await verifyPassword(stored, attempt.password, kinds)) {
          await counters.decrement(address)
          await counters.clear(user)
          await counters.increment(known, knownDays * 86_400)
          return true
        }
        return ofUser < attempts
          ? false
          : lockedOut(`Maximum login attempts reached. Please try again in ${windowSeconds} seconds.`)
      })
    },
  }
}
