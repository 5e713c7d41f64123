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

const platformKind = '$argon2i$v=19$m=4096,t=3,p=2$'
/** argon2i is 1 */
const ofPlatform = () => hash('right', { algorithm: 1, memoryCost: 4096, timeCost: 3, parallelism: 2 })

/** Returns the sorted kinds of hashes that were computed. */
const worked = () =>
  verified.mock.calls.map(([stored]) => String(parseHashKind(stored))).toSorted((a, b) => a.localeCompare(b))

test('the kind of a hash is its variant and parameters', async () => {
  expect(parseHashKind(await ofPlatform())).toBe(platformKind)
  expect(passwords.isOurs(await passwords.hash('x'))).toBe(true)
  expect(passwords.isOurs(await ofPlatform())).toBe(false)
  expect(parseHashKind('none')).toBeUndefined()
})

test('a failure costs one hash of each kind, for known and unknown users alike', async () => {
  const ours = await passwords.hash('right')
  const costs: unknown[] = []
  for (const stored of [ours, await ofPlatform(), null, 'no hash']) {
    verified.mockClear()
    expect(await passwords.verify(stored, 'wrong', [platformKind])).toBe(false)
    costs.push(worked().filter((kind) => kind !== 'undefined'))
  }
  const [first] = costs
  expect(first).toHaveLength(2)
  expect(costs).toEqual([first, first, first, first])
})

test('the right password costs one', async () => {
  verified.mockClear()
  expect(await passwords.verify(await ofPlatform(), 'right', [platformKind])).toBe(true)
  expect(worked()).toEqual([platformKind])
})
