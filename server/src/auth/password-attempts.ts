import { throwApiError } from '@patchbay/contract/errors'
import { sql } from 'kysely'
import type { Database } from '../database/engine.ts'
import { toClientNetwork } from '../lib/client-network.ts'
import { throttle } from '../lib/throttle.ts'
import { queued, parseHashKind, type Passwords } from './password-hashing.ts'
import type { Counters } from './counters/counters.ts'
import { sha256 } from '../lib/sha256.ts'

/** Of a user who is said to have a password. */
interface Claimed {
  user_sid: string
  hashed_password: string | null
}

/**
 * Whether a password is right, and the lock-out: failures are counted by user and by address, alike for users that
 * exist and names that do not. An address may fail more often, since many users can share one.
 */
export interface PasswordAttempts {
  /**
   * The user whose password it is; undefined where it is wrong. Throws while user or address are locked out, and with
   * the failure that locks them out.
   */
  judge<U extends Claimed>(attempt: PasswordAttempt<U>): Promise<U | undefined>
}

export interface PasswordAttempt<U extends Claimed = Claimed> {
  /** finds whose password it should be; undefined for nobody's */
  find(): Promise<U | undefined>
  /** as typed, where there is no such user */
  name: string
  password: string
  address: string
  /** aborted when nobody waits for the answer any more */
  signal?: AbortSignal | undefined
}

const addressFactor = 10

/** An address from which the user signed in within this time is not locked out by other addresses' failures. */
const knownSeconds = 30 * 86_400

const readKindsEveryMilliseconds = 600_000

/** The beginning of each kind of stored hash: `$argon2id$v=19$m=19456,t=2,p=1$`. */
const beginning = sql<string | null>`
  substr(hashed_password, 1, instr(hashed_password, ',p=') +
    instr(substr(hashed_password, instr(hashed_password, ',p=')), '$') - 1)`

/**
 * A user is counted, not the name that found him: databases take several for the same. With the stored hash in the
 * name of the counter, whoever is given a new password is locked out no longer.
 */
const counterOf = (user: Claimed | undefined, name: string): string =>
  user
    ? `login:user:${sha256(`${user.user_sid} ${user.hashed_password}`)}`
    : `login:name:${sha256(name.trim().toLowerCase())}`

const later = 'Maximum login attempts reached. Please try again later or reset your password.'

const lockedOut = (text: string): never => throwApiError('locked_out', { msg: text, error: text })

export const createPasswordAttempts = (
  { db }: Database,
  counters: Counters,
  passwords: Passwords,
  { attempts, windowSeconds }: { attempts: number; windowSeconds: number },
): PasswordAttempts => {
  let kinds: string[] = []
  const readKinds = throttle(readKindsEveryMilliseconds, async () => {
    const rows = await db.selectFrom('users').select(beginning.as('kind')).distinct().execute()
    kinds = rows.flatMap(({ kind }) => parseHashKind(kind ?? '') ?? [])
  })

  /** Where the user signed in lately, failures have a count of their own. */
  const countersOf = async (user: Claimed | undefined, { name, network }: { name: string; network: string }) => {
    const known = `login:known:${user?.user_sid}:${network}`
    const shared = counterOf(user, name)
    const isKnown = user !== undefined && (await counters.read(known, knownSeconds)) > 0
    return { known, failures: isKnown ? `${shared}:${network}` : shared }
  }

  return {
    async judge({ find, name, password, address, signal }) {
      const network = toClientNetwork(address)
      const ofNetwork = `login:address:${network}`
      const maxPerNetwork = attempts * addressFactor
      // Before anything else is asked: who is refused here costs next to nothing.
      if ((await counters.read(ofNetwork, windowSeconds)) >= maxPerNetwork) lockedOut(later)
      await readKinds()
      return queued({ owner: network, signal }, async () => {
        const user = await find()
        const { known, failures } = await countersOf(user, { name, network })
        if ((await counters.read(failures, windowSeconds)) >= attempts) lockedOut(later)
        // Counted before the password is looked at and given back when it is right: many at once are no way around.
        const failedThere = await counters.increment(ofNetwork, windowSeconds)
        const failed = await counters.increment(failures, windowSeconds)
        if (failedThere > maxPerNetwork || failed > attempts) lockedOut(later)
        if (await passwords.verify(user?.hashed_password ?? null, password, kinds)) {
          await counters.decrement(ofNetwork)
          await counters.clear(failures)
          await counters.increment(known, knownSeconds)
          return user
        }
        return failed < attempts
          ? undefined
          : lockedOut(`Maximum login attempts reached. Please try again in ${windowSeconds} seconds.`)
      })
    },
  }
}
