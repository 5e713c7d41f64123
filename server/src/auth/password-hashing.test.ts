import type * as Argon2 from '@node-rs/argon2'
import { hash } from '@node-rs/argon2'
import { expect, test, vi } from 'vitest'
import { createPasswords, parseHashKind } from './password-hashing.ts'

const verified = vi.hoisted(() => vi.fn<(stored: string) => void>())

vi.mock('@node-rs/argon2', async (original) => {
  const argon2 = await original<typeof Argon2>()
  return {
    ...argon2,
    verify: (stored: string, password: string) => {
      verified(stored)
      return argon2.verify(stored, password)
    },
  }
})

const passwords = createPasswords()

const jambonzKind = '$argon2i$v=19$m=4096,t=3,p=2$'
/** Algorithm 1 is argon2i. */
const createJambonzHash = () => hash('right', { algorithm: 1, memoryCost: 4096, timeCost: 3, parallelism: 2 })

/** Returns the sorted kinds of hashes that were computed. */
const getVerifiedKinds = () =>
  verified.mock.calls.map(([stored]) => String(parseHashKind(stored))).toSorted((a, b) => a.localeCompare(b))

test('returns variant and parameters as the kind of a hash', async () => {
  expect(parseHashKind(await createJambonzHash())).toBe(jambonzKind)
  expect(passwords.isOurs(await passwords.hash('x'))).toBe(true)
  expect(passwords.isOurs(await createJambonzHash())).toBe(false)
  expect(parseHashKind('none')).toBeUndefined()
})

test('computes one hash of each kind for a failure, for existing and missing users alike', async () => {
  const ours = await passwords.hash('right')
  const costs: unknown[] = []
  for (const stored of [ours, await createJambonzHash(), null, 'no hash']) {
    verified.mockClear()
    expect(await passwords.verify(stored, 'wrong', [jambonzKind])).toBe(false)
    costs.push(getVerifiedKinds().filter((kind) => kind !== 'undefined'))
  }
  const [first] = costs
  expect(first).toHaveLength(2)
  expect(costs).toEqual([first, first, first, first])
})

test('computes one hash for the right password', async () => {
  verified.mockClear()
  expect(await passwords.verify(await createJambonzHash(), 'right', [jambonzKind])).toBe(true)
  expect(getVerifiedKinds()).toEqual([jambonzKind])
})

const nfc = 'Caf\u00e9-quartz-11'
const nfd = 'Cafe\u0301-quartz-11'

test.each([
  ['a letter with an accent as one or two characters', nfc, nfd],
  ['a no-break space', 'two words', 'two\u00a0words'],
  ['an ideographic space', 'two words', 'two\u3000words'],
])('a password is the same with %s', async (_what, one, other) => {
  for (const [chosen, typed] of [
    [one, other],
    [other, one],
  ] as const)
    expect(await passwords.verify(await passwords.hash(chosen), typed)).toBe(true)
})

test.each([
  ['case', 'Secret-11', 'secret-11'],
  ['accents', nfc, 'Cafe-quartz-11'],
  ['full-width digits', 'quartz-11', 'quartz-\uff11\uff11'],
  ['a space at the end', 'quartz-11', 'quartz-11 '],
])('a password differs by %s', async (_what, chosen, typed) => {
  expect(await passwords.verify(await passwords.hash(chosen), typed)).toBe(false)
})

test('a hash of the bytes that were typed, which the platform stores, stays valid', async () => {
  expect(await passwords.verify(await hash(nfd), nfd)).toBe(true)
  expect(await passwords.verify(await hash(nfc), nfd)).toBe(true)
  expect(await passwords.verify(await hash(nfd), 'Cafe-quartz-11')).toBe(false)
})

test('a failure with a password of two forms computes as many hashes for existing and missing users', async () => {
  const ours = await passwords.hash('right')
  const costs: unknown[] = []
  for (const stored of [ours, await createJambonzHash(), null]) {
    verified.mockClear()
    expect(await passwords.verify(stored, nfd, [jambonzKind])).toBe(false)
    costs.push(getVerifiedKinds())
  }
  const [first] = costs
  expect(first).toHaveLength(4)
  expect(costs).toEqual([first, first, first])
})
