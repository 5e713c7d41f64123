import { hash, verify } from '@node-rs/argon2'
import { availableParallelism } from 'node:os'
import { createFairQueue } from '../lib/fair-queue.ts'

/** What one hash of argon2id costs: memory in KiB, passes over it, lanes. */
export interface PasswordCost {
  memoryCost: number
  timeCost: number
  parallelism: number
}

const fullCost: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** For whom a hash is made, and whether somebody still waits for it. */
export interface HashRequester {
  owner: string
  signal?: AbortSignal | undefined
}

/** Each hash takes much memory and a core: one core is left to everything else, and nobody may queue up many. */
const queue = createFairQueue({ concurrency: Math.min(2, Math.max(1, availableParallelism() - 1)), max: 50 })

/** Work on passwords in one turn of this asker; refused at once where he has too many waiting. */
export const queued = <T>({ owner, signal }: HashRequester, work: () => Promise<T>): Promise<T> =>
  queue.run(owner, (runStep) => runStep(work), signal)

const ofPatchbay: HashRequester = { owner: 'patchbay' }

/** Variant and parameters of a stored hash, `$argon2id$v=19$m=19456,t=2,p=1$`; undefined for what is none. */
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

const decoyOf = (kind: string): Promise<string> => {
  const known = decoys.get(kind) ?? makeDecoy(kind)
  decoys.set(kind, known)
  return known
}

const matches = (stored: string, password: string): Promise<boolean> => verify(stored, password).catch(() => false)

export interface Passwords {
  hash(password: string, asker?: HashRequester): Promise<string>
  /** whether a stored hash is of the kind that `hash` makes */
  isOurs(stored: string): boolean
  /**
   * False for a wrong password and for a hash that is none. `kinds`: those that are stored; a failure costs one hash of
   * each, whoever was asked for, so that the time says nothing about who exists. To be called in a turn.
   */
  verify(stored: string | null, password: string, kinds?: readonly string[]): Promise<boolean>
}

/**
 * Password hashes: argon2id with 19 MiB, two passes, one lane for new ones; verification takes variant and parameters
 * from the stored text, so the platform's argon2i hashes go on working (api/1-identity.md §4.1). No setting changes the
 * cost: only tests hash for less.
 */
export const createPasswords = (cost: PasswordCost = fullCost): Passwords => {
  const ourKind = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`
  return {
    hash: (password, asker = ofPatchbay) => queued(asker, () => hash(password, cost)),
    isOurs: (stored) => parseHashKind(stored) === ourKind,
    verify: async (stored, password, kinds = []) => {
      if (stored !== null && (await matches(stored, password))) return true
      const done = stored === null ? undefined : parseHashKind(stored)
      for (const kind of new Set([ourKind, ...kinds])) if (kind !== done) await matches(await decoyOf(kind), password)
      return false
    },
  }
}
