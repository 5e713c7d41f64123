import { hash, verify } from '@node-rs/argon2'

/**
 * Password hashes: argon2id with 19 MiB, two passes, one lane for new ones; verification takes variant and parameters
 * from the stored text, so the platform's argon2i hashes go on working (api/1-identity.md §4.1).
 */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const atOnce = 2
let running = 0
const queue: (() => void)[] = []

/** Each hash takes much memory and a core; more than two at a time would let sign-ins starve everything else. */
const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
  if (running >= atOnce) await new Promise<void>((resolve) => queue.push(resolve))
  else running += 1
  try {
    return await work()
  } finally {
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }
}

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, parameters))

let decoy: Promise<string> | undefined

/** False for a wrong password and for a hash that is none; without a hash it takes the same time as with one. */
export const verifyPassword = async (stored: string | null, password: string): Promise<boolean> => {
  decoy ??= hashPassword('no user has this password')
  const against = stored ?? (await decoy)
  const matches = await inTurn(() => verify(against, password).catch(() => false))
  return matches && stored !== null
}
