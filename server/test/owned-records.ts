import type { Caller, TestApi } from '@patchbay/testkit/test-api'
import { type AccountThings, createWorld, signedIn, type UserName, type World } from '@patchbay/testkit/test-world'
import { expect } from 'vitest'
import { getRows, type Row, readPage, sorted } from './fixtures.ts'

/** Checks that the API tests of records that accounts own share. */

/** Returns the sorted values of a column that a user sees in a list. */
export const listAs = async (
  api: TestApi,
  { users }: World,
  name: UserName,
  path: string,
  column: string,
): Promise<string[]> => {
  const caller = await signedIn(api, users[name])
  return sorted(getRows(await caller.get(path)).map((row) => row[column]))
}

/**
 * Lists the records of a new test world as each kind of user. `actual` equals `expected` if the list contains the records
 * in the scope of the user and no others. Of the admin's list, only the records of this world are compared.
 * @param column name of the key, in the rows of the list and in the test world
 */
export const listInEachScope = async (api: TestApi, path: string, column: keyof AccountThings) => {
  const world = await createWorld(api)
  const [ofA, ofA2, ofB] = [world.things.A, world.things.A2, world.things.B].map((things) => things[column])
  const expected = {
    'user of A': [ofA],
    'user of P': sorted([ofA, ofA2]),
    'user of B': [ofB],
    'user of Q': [ofB],
    admin: sorted([ofA, ofA2, ofB]),
  }
  const all = new Set(expected.admin)
  const actual: Partial<Record<UserName, string[]>> = {}
  for (const name of Object.keys(expected) as (keyof typeof expected)[]) {
    const list = await listAs(api, world, name, path, column)
    actual[name] = name === 'admin' ? list.filter((sid) => all.has(sid)) : list
  }
  return { actual, expected }
}

/** Returns the statuses with which users read a path. */
export const readStatuses = (
  api: TestApi,
  { users }: World,
  path: string,
  names: readonly UserName[],
): Promise<number[]> =>
  Promise.all(names.map(async (name) => (await (await signedIn(api, users[name])).get(path)).status))

/** Expects that only one of several concurrent deletions succeeds. */
export const expectDeletedOnce = async (caller: Caller, path: string): Promise<void> => {
  const responses = await Promise.all([1, 2, 3].map(() => caller.delete(path)))
  expect(sorted(responses.map(({ status }) => status))).toEqual(['204', '404', '404'])
}

/** Returns the audit entries of a record that the caller can see, the newest first. */
export const readAuditEntries = async (caller: Caller, kind: string, sid: string): Promise<Row[]> =>
  (await readPage(caller, '/patchbay/audit-trail', { kind, sid, count: '50' })).data
