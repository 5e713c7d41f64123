import { splitKey } from '@patchbay/contract/api/endpoint'
import type { AccountThings, UserName } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRows, isPaged, parentQuery, sorted } from '../fixtures.ts'
import { type CallerName, ofA2, ofB, ofQ, usersOfA } from './callers.ts'
import { getCaller, openMatrix } from './matrix-world.ts'
import { firstPage } from './rule.ts'
import { endpointNames } from './rules.ts'

const shared = await openMatrix()

interface Own {
  account: string
  provider: string
  user: string
}

/** Returns the path with the caller's own account, provider, and user. */
const pathFor = (key: string, own: Own): string => {
  const { sid, things } = shared
  const ownThings = things[own.account === sid.A ? 'A' : own.account === sid.A2 ? 'A2' : 'B']
  return splitKey(key)
    .path.replace(/:(\w+)/g, (param, name: string) => ownThings[name as keyof AccountThings] ?? param)
    .replace(':account_sid', own.account)
    .replace(':service_provider_sid', own.provider)
    .replace(':user_sid', own.user)
    .replace(/$/, parentQuery(key, ownThings))
    .replace(/$/, isPaged(key) ? `?${firstPage}&filter=` : key.endsWith('taken') ? `?name=account ${sid.A}` : '')
}

const findMarks = (responses: readonly string[], marks: readonly string[]) =>
  marks.filter((mark) => responses.some((text) => text.includes(mark)))

const taken = async (name: CallerName) => {
  const caller = await getCaller(shared, name)
  const { body } = await caller.get(`/patchbay/accounts/taken?name=${encodeURIComponent(`account ${shared.sid.A}`)}`)
  return body
}

describe('lists reveal nothing about other tenants', () => {
  const reads = endpointNames.filter((key) => key.startsWith('GET '))

  const readAll = async (name: CallerName, own: Own): Promise<string[]> => {
    const caller = await getCaller(shared, name)
    const responses: string[] = []
    for (const key of reads) {
      const answer = await caller.get(pathFor(key, own))
      responses.push(answer.text)
    }
    return responses
  }

  test('the expected marks occur in the responses to the owners', async () => {
    const { A, P } = shared.sid
    const user = shared.users['user of A'].user_sid
    const responses = await readAll('admin', { account: A, provider: P, user })
    expect(findMarks(responses, [A, shared.sid.A2, P])).toHaveLength(3)
    const own = await readAll('user of A', { account: A, provider: P, user })
    const key = shared.keys['key of A']
    expect(
      findMarks(own, [A, key.api_key_sid, `********${key.token.slice(-4)}`, shared.users['user of A'].user_sid]),
    ).toHaveLength(4)
  })

  test.each([...ofQ, ...ofB])('%s reads nothing of provider P, its accounts, users, and keys', async (name) => {
    const responses = await readAll(name, {
      account: shared.sid.B,
      provider: shared.sid.Q,
      user: shared.users['user of B'].user_sid,
    })
    expect(findMarks(responses, shared.marks.P)).toEqual([])
  })

  test.each([...ofA2])("%s reads nothing of the other account A, or of the provider's keys", async (name) => {
    const responses = await readAll(name, {
      account: shared.sid.A2,
      provider: shared.sid.P,
      user: shared.users['user of A2'].user_sid,
    })
    const { api_key_sid, token } = shared.keys['key of P']
    expect(findMarks(responses, [...shared.marks.A, api_key_sid, `********${token.slice(-4)}`])).toEqual([])
  })

  test('the check for existing names covers only resources that the caller may see', async () => {
    expect(await taken('user of A')).toEqual({ name: true, sip_realm: false })
    expect(await taken('user of P')).toEqual({ name: true, sip_realm: false })
    for (const name of [...ofQ, ...ofB, ...ofA2]) expect(await taken(name)).toEqual({ name: false, sip_realm: false })
  })

  test('lists contain only resources of the caller, and all for an admin', async () => {
    const sids = async (name: CallerName, path: string, column: string) =>
      getRows(await (await getCaller(shared, name)).get(path)).map((row) => row[column])
    const { A, A2, B, P, Q } = shared.sid
    expect(await sids('user of A', '/Accounts', 'account_sid')).toEqual([A])
    expect(await sids('key of A', '/Accounts', 'account_sid')).toEqual([A])
    expect(sorted(await sids('user of P', '/Accounts', 'account_sid'))).toEqual(sorted([A, A2]))
    expect(sorted(await sids('key of P', '/Accounts', 'account_sid'))).toEqual(sorted([A, A2]))
    expect(await sids('admin', '/Accounts', 'account_sid')).toEqual(expect.arrayContaining([A, A2, B]))
    expect(await sids('user of A', '/ServiceProviders', 'service_provider_sid')).toEqual([P])
    expect(await sids('key of Q', '/ServiceProviders', 'service_provider_sid')).toEqual([Q])
    expect(await sids('admin key', '/ServiceProviders', 'service_provider_sid')).toEqual(expect.arrayContaining([P, Q]))
    expect(await sids('user of A2', `/ServiceProviders/${P}/Accounts`, 'account_sid')).toEqual([A2])
    const getUserSids = (...names: readonly UserName[]) => sorted(names.map((name) => shared.users[name].user_sid))
    const inA: readonly UserName[] = [...usersOfA, 'view-only user of A', 'user of A who must change the password']
    const inP: readonly UserName[] = [
      ...inA,
      'user of A2',
      'user of P',
      'view-only user of P',
      'user of P who must change the password',
    ]
    for (const name of ['user of A', 'view-only user of A', 'key of A'] as const)
      expect(sorted(await sids(name, '/Users', 'user_sid'))).toEqual(getUserSids(...inA))
    for (const name of ['user of P', 'key of P'] as const)
      expect(sorted(await sids(name, '/Users', 'user_sid'))).toEqual(getUserSids(...inP))
    expect(await sids('key of B', '/Users', 'user_sid')).toEqual([shared.users['user of B'].user_sid])
    for (const name of ['admin', 'admin key'] as const)
      expect(sorted(await sids(name, '/Users', 'user_sid'))).toEqual(
        expect.arrayContaining(Object.values(shared.users).map(({ user_sid }) => user_sid)),
      )
  })
})
