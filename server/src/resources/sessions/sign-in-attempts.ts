import { refuse } from '@patchbay/contract/errors'
import { createHash } from 'node:crypto'
import type { Counters } from '../../platform/counters/counters.ts'

/**
 * The lock-out: failed sign-ins are counted by the name that was typed and by address, alike for names that exist
 * and names that do not. An address may fail more often, since many users can share one.
 */
export interface SignInAttempts {
  /** Throws when the name or the address is locked out; else this attempt counts for the name until `succeeded`. */
  begin(name: string, address: string): Promise<void>
  /** Counts for the address, and throws the refusal of a wrong password. */
  failed(name: string, address: string): Promise<never>
  succeeded(name: string): Promise<void>
}

const addressFactor = 10

const nameCounter = (name: string): string =>
  `login:name:${createHash('sha256').update(name.trim().toLowerCase()).digest('hex')}`

const addressCounter = (address: string): string => `login:address:${address}`

const lockedOut = (text: string): never => refuse('locked_out', { msg: text, error: text })

export const createSignInAttempts = (
  counters: Counters,
  { attempts, windowSeconds }: { attempts: number; windowSeconds: number },
): SignInAttempts => {
  const later = 'Maximum login attempts reached. Please try again later or reset your password.'
  return {
    async begin(name, address) {
      if ((await counters.read(nameCounter(name))) >= attempts) lockedOut(later)
      if ((await counters.read(addressCounter(address))) >= attempts * addressFactor) lockedOut(later)
      // Counted before the password is looked at, so that many attempts at once cannot slip past the limit.
      if ((await counters.increment(nameCounter(name), windowSeconds)) > attempts) lockedOut(later)
    },
    async failed(name, address) {
      // Counted only here: an address where many users sign in, and get it right, must never be locked out.
      await counters.increment(addressCounter(address), windowSeconds)
      if ((await counters.read(nameCounter(name))) < attempts) return refuse('sign_in_refused')
      return lockedOut(`Maximum login attempts reached. Please try again in ${windowSeconds} seconds.`)
    },
    async succeeded(name) {
      await counters.clear(nameCounter(name))
    },
  }
}
