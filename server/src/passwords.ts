import { hash, verify } from '@node-rs/argon2'
import { availableParallelism } from 'node:os'
import { createTurns } from './turns.ts'

/**
 * Password hashes: argon2id with 19 MiB, two passes, one lane for new ones; verification takes variant and parameters
 * from the stored text, so the platform's argon2i hashes go on working (api/1-identity.md §4.1).
 */
const ours = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const ourKind = `$argon2id$v=19$m=${ours.memoryCost},t=${ours.timeCost},p=${ours.parallelism}$`

/** For whom a hash is made, and whether somebody still waits for it. */
export interface Asker {
  owner: string
  gone?: AbortSignal | undefined
}

/** Each hash takes much memory and a core: one core is left to everything else, and nobody may queue up many. */
const turns = createTurns({ atOnce: Math.min(2, Math.max(1, availableParallelism() - 1)), most: 50 })

/** Work on passwords in one turn of this asker; refused at once where he has too many waiting. */
export const inTurn = <T>({ owner, gone }: Asker, work: () => Promise<T>): Promise<T> =>
  turns.enter(owner, (turn) => turn(work), gone)

const ofPatchbay: Asker = { owner: 'patchbay' }

export const hashPassword = (password: string, asker: Asker = ofPatchbay): Promise<string> =>
  inTurn(asker, () => hash(password, ours))

/** Variant and parameters of a stored hash, `$argon2id$v=19$m=19456,t=2,p=1$`; undefined for what is none. */
export const kindOf = (stored: string): string | undefined =>
  /^\$argon2(?:i|d|id)\$v=\d+\$m=\d+,t=\d+,p=\d+\$/.exec(stored)?.[0]

export const isOfOurKind = (stored: string): boolean => kindOf(stored) === ourKind

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

/**
 * False for a wrong password and for a hash that is none. `kinds`: those that are stored; a failure costs one hash of
 * each, whoever was asked for, so that the time says nothing about who exists. To be called in a turn.
 */
export const verifyPassword = async (
  stored: string | null,
  password: string,
  kinds: readonly string[] = [],
): Promise<boolean> => {
  if (stored !== null && (await matches(stored, password))) return true
  const done = stored === null ? undefined : kindOf(stored)
  for (const kind of new Set([ourKind, ...kinds])) if (kind !== done) await matches(await decoyOf(kind), password)
  return false
}
