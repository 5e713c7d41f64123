import { throwApiError } from '@patchbay/contract/api/errors'
import { sql } from 'kysely'
import type { Database } from '../database/engine.ts'
import { toClientNetwork } from '../lib/client-network.ts'
import { sha256 } from '../lib/sha256.ts'
import { throttle } from '../lib/throttle.ts'
import type { Counters } from './counters/counters.ts'
import { type Passwords, parseHashKind, runQueued } from './password-hashing.ts'

/** A user whose password is to be checked. */
interface PasswordHolder {
  user_sid: string
  hashed_password: string | null
}

/**
 * Checks passwords and locks out callers: failures are counted by user and by address. Names that do not exist are
 * treated like users. The limit per address is higher because many users can share an address.
 */
export interface PasswordAttempts {
  /**
   * Returns the user if the password is right, and undefined if it is wrong. Throws while the user or the address is
   * locked out, including for the failure that causes the lock-out.
   */
  verify<U extends PasswordHolder>(attempt: PasswordAttempt<U>): Promise<U | undefined>
}

export interface PasswordAttempt<U extends PasswordHolder = PasswordHolder> {
  /** Finds the user. Returns undefined if there is none. */
  find(): Promise<U | undefined>
  /** Name as entered. Failures are counted under it if there is no such user. */
  name: string
  password: string
  address: string
  /** Aborts when the client has disconnected. */
  signal?: AbortSignal | undefined
}

const addressFactor = 10

/**
 * A network from which the user signed in within this time has its own count of failures, so that failures from other
 * networks do not lock it out.
 */
const trustedNetworkSeconds = 30 * 86_400

const readKindsIntervalMs = 600_000

/** The prefix of each kind of stored hash: `$argon2id$v=19$m=19456,t=2,p=1$`. */
const hashPrefix = sql<string | null>`
  substr(hashed_password, 1, instr(hashed_password, ',p=') +
    instr(substr(hashed_password, instr(hashed_password, ',p=')), '$') - 1)`

/**
 * Returns the counter for failures. It is derived from the user instead of the entered name, because databases treat
 * several spellings as the same name. It includes the stored hash, so that a new password ends a lock-out.
 */
const getFailureCounter = (user: PasswordHolder | undefined, name: string): string =>
  user
    ? `login:user:${sha256(`${user.user_sid} ${user.hashed_password}`)}`
    : `login:name:${sha256(name.trim().toLowerCase())}`

const lockedOutMessage = 'Maximum login attempts reached. Please try again later or reset your password.'

const throwLockedOut = (text: string): never => throwApiError('locked_out', { msg: text, error: text })

export const createPasswordAttempts = (
  { db }: Database,
  counters: Counters,
  passwords: Passwords,
  { attempts, windowSeconds }: { attempts: number; windowSeconds: number },
): PasswordAttempts => {
  let kinds: string[] = []
  const readKinds = throttle(readKindsIntervalMs, async () => {
    const rows = await db.selectFrom('users').select(hashPrefix.as('kind')).distinct().execute()
    kinds = rows.flatMap(({ kind }) => parseHashKind(kind ?? '') ?? [])
  })

  /** Networks from which the user signed in recently have a separate failure counter. */
  const getCounterNames = async (
    user: PasswordHolder | undefined,
    { name, network }: { name: string; network: string },
  ) => {
    const successCounter = `login:known:${user?.user_sid}:${network}`
    const shared = getFailureCounter(user, name)
    const isTrustedNetwork = user !== undefined && (await counters.read(successCounter, trustedNetworkSeconds)) > 0
    return { successes: successCounter, failures: isTrustedNetwork ? `${shared}:${network}` : shared }
  }

  return {
    async verify({ find, name, password, address, signal }) {
      const network = toClientNetwork(address)
      const networkCounter = `login:address:${network}`
      const maxPerNetwork = attempts * addressFactor
      // This check comes first because rejecting a request here costs almost nothing.
      if ((await counters.read(networkCounter, windowSeconds)) >= maxPerNetwork) throwLockedOut(lockedOutMessage)
      await readKinds()
      return runQueued({ owner: network, signal }, async () => {
        const user = await find()
        const { successes, failures } = await getCounterNames(user, { name, network })
        if ((await counters.read(failures, windowSeconds)) >= attempts) throwLockedOut(lockedOutMessage)
        // The failure is counted before the password is verified and subtracted if it is right, so that concurrent
        // requests cannot bypass the limit.
        const networkFailures = await counters.increment(networkCounter, windowSeconds)
        const userFailures = await counters.increment(failures, windowSeconds)
        if (networkFailures > maxPerNetwork || userFailures > attempts) throwLockedOut(lockedOutMessage)
        if (await passwords.verify(user?.hashed_password ?? null, password, kinds)) {
          await counters.decrement(networkCounter)
          await counters.clear(failures)
          await counters.increment(successes, trustedNetworkSeconds)
          return user
        }
        return userFailures < attempts
          ? undefined
          : throwLockedOut(`Maximum login attempts reached. Please try again in ${windowSeconds} seconds.`)
      })
    },
  }
}
