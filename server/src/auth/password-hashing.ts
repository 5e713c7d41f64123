import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { normalizePassword } from '@patchbay/rules/identity/passwords'
import { createFairQueue } from '../lib/fair-queue.ts'

/** Cost of an argon2id hash: memory in KiB, number of passes, and number of lanes. */
export interface PasswordCost {
  memoryCost: number
  timeCost: number
  parallelism: number
}

const fullCost: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** The tenant or network that a hash is computed for, and a signal that aborts when the client has disconnected. */
export interface HashRequester {
  owner: string
  signal?: AbortSignal | undefined
}

/**
 * A hash uses much memory and a whole CPU core, so one core stays free for other work and the queue per requester is
 * short.
 */
const queue = createFairQueue({
  name: 'passwords',
  concurrency: Math.min(2, Math.max(1, availableParallelism() - 1)),
  max: 50,
})

/**
 * Runs password work when the requester's queue allows it. Throws immediately if too much of the requester's work is
 * waiting.
 */
export const runQueued = <T>({ owner, signal }: HashRequester, work: () => Promise<T>): Promise<T> =>
  queue.run(owner, (runStep) => runStep(work), signal)

const systemRequester: HashRequester = { owner: 'patchbay' }

/**
 * Returns the variant and parameters of a stored hash, `$argon2id$v=19$m=19456,t=2,p=1$`, or undefined if it is not a
 * hash.
 */
export const parseHashKind = (stored: string): string | undefined =>
  /^\$argon2(?:i|d|id)\$v=\d+\$m=\d+,t=\d+,p=\d+\$/.exec(stored)?.[0]

const variants = { argon2d: 0, argon2i: 1, argon2id: 2 } as const

const makeDecoy = (kind: string): Promise<string> => {
  const [, variant, m, t, p] = /^\$(argon2(?:i|d|id))\$v=\d+\$m=(\d+),t=(\d+),p=(\d+)\$$/.exec(kind) ?? []
  const algorithm = variants[variant as keyof typeof variants]
  const parameters = { memoryCost: Number(m), timeCost: Number(t), parallelism: Number(p) }
  return hash('no user has this password', { algorithm, ...parameters })
}

const decoys = new Map<string, Promise<string>>()

const getDecoy = (kind: string): Promise<string> => {
  const decoy = decoys.get(kind) ?? makeDecoy(kind)
  decoys.set(kind, decoy)
  return decoy
}

const matches = (stored: string, password: string): Promise<boolean> => verify(stored, password).catch(() => false)

/**
 * Returns the texts that a stored hash can belong to. Hashes of the platform, and of Patchbay before it normalized
 * passwords, belong to the bytes that were typed.
 */
const listForms = (password: string): string[] => [...new Set([normalizePassword(password), password])]

export interface Passwords {
  /** Returns the hash of the normalized password. */
  hash(password: string, requester?: HashRequester): Promise<string>
  /** Returns whether a stored hash has the variant and parameters that `hash` uses. */
  isOurs(stored: string): boolean
  /**
   * Returns false for a wrong password and for an invalid hash. A failure computes one hash of each kind and form of the
   * password, so that the response time does not reveal which users exist. Must be called within `runQueued`.
   * @param kinds the kinds of hashes that are stored
   */
  verify(stored: string | null, password: string, kinds?: readonly string[]): Promise<boolean>
}

/**
 * Creates and verifies password hashes. New ones use argon2id with 19 MiB, two passes, and one lane. Verification reads
 * variant and parameters from the stored hash, so the argon2i hashes of jambonz remain valid
 * (docs/reference/platform-api/identity.md#password-hashes). The cost is not configurable. Only tests use a lower one.
 */
export const createPasswords = (cost: PasswordCost = fullCost): Passwords => {
  const ourKind = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`
  return {
    hash: (password, requester = systemRequester) =>
      runQueued(requester, () => hash(normalizePassword(password), cost)),
    isOurs: (stored) => parseHashKind(stored) === ourKind,
    verify: async (stored, password, kinds = []) => {
      const forms = listForms(password)
      if (stored !== null) for (const form of forms) if (await matches(stored, form)) return true
      const verifiedKind = stored === null ? undefined : parseHashKind(stored)
      for (const kind of new Set([ourKind, ...kinds]))
        if (kind !== verifiedKind) for (const form of forms) await matches(await getDecoy(kind), form)
      return false
    },
  }
}
