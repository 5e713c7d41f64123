import { randomUUID } from 'node:crypto'
import { type Endpoint, splitKey } from '@patchbay/contract/api/endpoint'
import { contract } from '@patchbay/contract/contract'
import { member } from '@patchbay/testkit/test-api'
import { worldPassword } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { isTestedEndpoint } from '../call-data.ts'
import { snapshot, statusAndMessage } from '../fixtures.ts'
import {
  admins,
  type CallerName,
  everyone,
  includes,
  mustChange,
  ofA2,
  ofB,
  ofQ,
  signedOut,
  viewOnly,
} from './callers.ts'
import { call, createMatrixWorld, createRequest, getCaller, openMatrix, send } from './matrix-world.ts'
import { unique } from './rule.ts'
import { closedEndpoints, endpointNames, endpointsBySid, rules } from './rules.ts'

const shared = await openMatrix()
const { api } = shared

const omitSessions = ({ patchbay_sessions: _sessions, ...rest }: Readonly<Record<string, string>>) => rest

describe('requests for resources of other tenants', () => {
  test('API-001 every endpoint except sign-in returns 401 without a token and with an invalid or expired one', async () => {
    expect(closedEndpoints.length).toBeGreaterThan(30)
    for (const key of closedEndpoints) {
      for (const name of signedOut) {
        const answer = await call(key, rules[key], shared, name)
        expect([key, name, answer.status]).toEqual([key, name, 401])
      }
    }
  })

  test('ROLES-25 a provider, as user or key, is denied every endpoint of another provider and its accounts', async () => {
    const endpoints = [
      ...endpointsBySid('service_provider_sid'),
      ...endpointsBySid('account_sid'),
      ...endpointsBySid('user_sid'),
      // Open endpoints answer to trusted networks without a token (open-endpoints.test.ts).
    ].filter((key) => closedEndpoints.includes(key))
    expect(endpoints.length).toBeGreaterThan(15)
    for (const key of endpoints) {
      const before = await snapshot(api)
      for (const name of ofQ) {
        const answer = await call(key, rules[key], shared, name)
        expect([key, name, answer.status]).toEqual([key, name, 403])
      }
      expect(omitSessions(await snapshot(api))).toEqual(omitSessions(before))
    }
  })

  // ROLES-24 names applications, carriers, numbers, and more. The list above grows with each endpoint; otherwise, the
  // test fails.
  test('ROLES-24 an account, as user or key, is denied every endpoint of another account, including accounts of the same provider', async () => {
    // A signature with the account's secret gives access to the others (conversation-events.test.ts).
    const endpoints = [...endpointsBySid('account_sid'), ...endpointsBySid('user_sid')].filter((key) =>
      closedEndpoints.includes(key),
    )
    expect(endpoints.length).toBeGreaterThan(8)
    for (const key of endpoints) {
      const before = await snapshot(api)
      for (const name of [...ofA2, ...ofB]) {
        const answer = await call(key, rules[key], shared, name)
        expect([key, name, answer.status]).toEqual([key, name, 403])
      }
      expect(omitSessions(await snapshot(api))).toEqual(omitSessions(before))
    }
  })

  test('ROLES-26 only an admin creates and deletes service providers', async () => {
    for (const name of everyone.filter((caller) => !includes(viewOnly, caller) && !includes(mustChange, caller))) {
      const caller = await getCaller(shared, name)
      const response = await caller.post('/ServiceProviders', { name: `by ${name} ${unique()}` })
      const target = response.status === 201 ? member(response, 'sid') : await api.provider()
      const signal = await caller.delete(`/ServiceProviders/${target}`)
      const remainingProvider = await api.admin.get(`/ServiceProviders/${target}`)
      const isAdmin = includes(admins, name)
      expect([name, response.status, signal.status, remainingProvider.status]).toEqual(
        isAdmin ? [name, 201, 204, 404] : [name, 403, 403, 200],
      )
    }
    // Only the key refers to this provider, so the deletion would succeed.
    const service_provider_sid = await api.provider()
    const { caller: ownKey } = await api.apiKey({ service_provider_sid })
    expect((await ownKey.delete(`/ServiceProviders/${service_provider_sid}`)).status).toBe(403)
    expect((await api.admin.get(`/ServiceProviders/${service_provider_sid}`)).status).toBe(200)
  })

  test('a registered user with an unconfirmed address is denied everything', async () => {
    const provider = await api.provider()
    await api.admin.put(`/ServiceProviders/${provider}`, { root_domain: `${unique()}.example.org` })
    const visitor = { service_provider_sid: provider, provider: 'local', password: worldPassword }
    const registration = await api.nobody.post('/register', { ...visitor, email: `${randomUUID()}@example.org` })
    const caller = api.as(member(registration, 'jwt'))
    for (const key of closedEndpoints) {
      const answer = await send(caller, key, await createRequest(rules[key], shared, 'user of A'))
      expect([key, answer.status]).toEqual([key, 401])
    }
  })

  test('a user of a suspended account cannot change anything except what suspended accounts may', async () => {
    const world = await createMatrixWorld(api)
    const caller = await getCaller(world, 'user of A')
    const { db } = api.test.database
    const suspended = { is_active: 0, deactivated_reason: 'payment failed' } as const
    await db.updateTable('accounts').set(suspended).where('account_sid', '=', world.sid.A).execute()
    const writes = endpointNames.filter((key) => {
      const { access }: Endpoint = contract[key]
      return access.minScope !== 'public' && !access.allowSuspended && splitKey(key).method !== 'GET'
    })
    expect(writes.length).toBeGreaterThan(80)
    for (const key of writes) {
      const answer = await send(caller, key, await createRequest(rules[key], world, 'user of B'))
      expect([key, ...statusAndMessage(answer)]).toEqual([
        key,
        403,
        'The account is suspended. Upgrade it or pay the outstanding amount to continue.',
      ])
    }
    expect((await caller.get(`/Accounts/${world.sid.A}`)).status).toBe(200)
  })

  const outsiders: readonly CallerName[] = [...ofQ, ...ofB, ...ofA2]

  /**
   * Owners of keys get 400 for another owner's key and 404 for an unknown one, as in the API of jambonz
   * (docs/reference/platform-api/tenants.md#errors-of-api-keys).
   */
  const withSid = closedEndpoints.filter(
    (key) => splitKey(key).path.includes(':') && key !== 'DELETE /ApiKeys/:api_key_sid' && isTestedEndpoint(key),
  )

  test.each(withSid)('%s returns the same response for hidden and unknown resources', async (key) => {
    const { may } = rules[key]
    for (const name of outsiders.filter((callerName) => !may.includes(callerName))) {
      const caller = await getCaller(shared, name)
      const request = await createRequest(rules[key], shared, name)
      // Members of P may use the path of their provider, so the record below it is the hidden one.
      const pathSids = request.path.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []
      const hiddenSid = pathSids.find((sid) => !(includes(ofA2, name) && sid === shared.sid.P)) ?? shared.sid.P
      const ghost = { ...request, path: request.path.replace(hiddenSid, randomUUID()) }
      expect(ghost.path).not.toBe(request.path)
      const hidden = await send(caller, key, request)
      const absent = await send(caller, key, ghost)
      expect([name, hidden.status, hidden.text]).toEqual([name, absent.status, absent.text])
    }
  })
})
