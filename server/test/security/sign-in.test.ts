import { randomUUID } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { createWriteBehindCounters } from '@patchbay/server/auth/counters/write-behind-counters'
import { createPasswords } from '@patchbay/server/auth/password-hashing'
import { ignoresTrailingSpaces, isMysql } from '@patchbay/testkit/test-database'
import { openTestApi } from '@patchbay/testkit/test-world'
import { expect, test } from 'vitest'

/** Password guessing: concurrent, with many spellings, and its CPU cost. */

const api = await openTestApi({}, createPasswords())

const getCodes = (answers: readonly { body: unknown }[]): unknown[] =>
  answers.map(({ body }) => Reflect.get(Object(body), 'code'))

test('only the permitted number of concurrent guesses is checked, for existing and unknown users', async () => {
  const { name } = await api.user()
  const address = '10.1.1.1'
  const guesses = (names: readonly string[]) => Promise.all(names.map((typed) => api.signIn(typed, 'guess', address)))
  const answers = []
  for (let round = 0; round < 4; round += 1)
    answers.push(...(await guesses(Array.from({ length: 100 }, (_, index) => (index === 0 ? name : randomUUID())))))
  const codes = getCodes(answers)
  expect(codes.filter((code) => code === 'sign_in_rejected')).toHaveLength(60)
  expect(new Set(codes)).toEqual(new Set(['sign_in_rejected', 'too_many_concurrent_requests', 'locked_out']))
})

test('concurrent guesses for one user are counted together', async () => {
  const { name } = await api.user()
  const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => api.signIn(name, 'guess', `10.2.0.${at}`)))
  // The sixth response says that it was the last attempt.
  expect(getCodes(answers).filter((code) => code === 'sign_in_rejected')).toHaveLength(5)
})

test('attempts are counted per user regardless of the spelling', async () => {
  const { name } = await api.user()
  // Collations take these for the same, too.
  const withAccents = isMysql ? [name.replace('u', 'ü'), name.replace('u', 'Û')] : []
  const withSpaces = ignoresTrailingSpaces ? [`${name}  `] : []
  const spellings = [name, name.toUpperCase(), name.replace('user', 'uSer'), ...withAccents, ...withSpaces]
  const answers = []
  for (let guess = 0; guess < 12; guess += 1)
    answers.push(await api.signIn(spellings[guess % spellings.length] ?? '', 'guess', '10.3.3.3'))
  expect(getCodes(answers).filter((code) => code === 'sign_in_rejected')).toHaveLength(5)
})

test('a user locked out by others can still sign in from a recently used address', async () => {
  const { name, password } = await api.user()
  expect((await api.signIn(name, password, '10.4.0.1')).status).toBe(200)
  for (let guess = 0; guess < 8; guess += 1) await api.signIn(name, 'guess', '10.4.0.2')
  expect(getCodes([await api.signIn(name, password, '10.4.0.3')])).toEqual(['locked_out'])
  expect((await api.signIn(name, password, '10.4.0.1')).status).toBe(200)
  // Failed attempts from this address are counted, too.
  for (let guess = 0; guess < 6; guess += 1) await api.signIn(name, 'guess', '10.4.0.1')
  expect(getCodes([await api.signIn(name, password, '10.4.0.1')])).toEqual(['locked_out'])
})

test('a password reset by another user ends the lockout', async () => {
  const { name, sid } = await api.user()
  for (let guess = 0; guess < 8; guess += 1) await api.signIn(name, 'guess', '10.5.0.1')
  const initial_password = `Fresh-${randomUUID()}`
  expect((await api.admin.put(`/Users/${sid}`, { initial_password })).status).toBe(204)
  expect((await api.signIn(name, initial_password, '10.5.0.2')).status).toBe(200)
})

test('a hash from jambonz is replaced with the first successful sign-in', async () => {
  const { name, password, sid } = await api.user()
  const { db } = api.test.database
  const stored = async () =>
    (await db.selectFrom('users').select('hashed_password').where('user_sid', '=', sid).executeTakeFirstOrThrow())
      .hashed_password ?? ''
  const ofPlatform = await hash(password, { algorithm: 1, memoryCost: 8192, timeCost: 3, parallelism: 4 })
  await db.updateTable('users').set({ hashed_password: ofPlatform }).where('user_sid', '=', sid).execute()
  expect((await api.signIn(name, 'wrong', '10.6.0.1')).status).toBe(403)
  expect(await stored()).toBe(ofPlatform)
  expect((await api.signIn(name, password, '10.6.0.1')).status).toBe(200)
  expect(await stored()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect((await api.signIn(name, password, '10.6.0.1')).status).toBe(200)
})

test.skipIf(isMysql)('counts of an embedded database survive a restart, and expire', async () => {
  let now = 1_000_000
  const { database } = api.test
  const first = createWriteBehindCounters(database, () => now)
  expect([await first.increment('a', 10), await first.increment('a', 10), await first.increment('b', 1)]).toEqual([
    1, 2, 1,
  ])
  await first.decrement('a')
  await first.increment('c', 10)
  await first.clear('c')
  await first.close?.()
  const second = createWriteBehindCounters(database, () => now)
  const counts = () => Promise.all(['a', 'b', 'c', 'none'].map((name) => second.read(name, 10)))
  expect(await counts()).toEqual([1, 1, 0, 0])
  now += 5_000
  expect(await counts()).toEqual([1, 0, 0, 0])
  now += 5_000
  expect(await counts()).toEqual([0, 0, 0, 0])
  expect(await second.increment('a', 10)).toBe(1)
})

test.skipIf(isMysql)('the number of stored counters is limited to the most recent ones', async () => {
  const counters = createWriteBehindCounters(api.test.database, () => 0, 2)
  for (const name of ['x', 'y', 'x', 'z']) await counters.increment(name, 10)
  expect(await Promise.all(['x', 'y', 'z'].map((name) => counters.read(name, 10)))).toEqual([2, 0, 1])
})
