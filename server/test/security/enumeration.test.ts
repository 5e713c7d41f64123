import { randomUUID } from 'node:crypto'
import { maxNameChecksPerMinute } from '@patchbay/server/resources/accounts/routes'
import type { Caller } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'

/**
 * Checks about resources of other tenants return only yes or no, only for globally unique values, and are rate limited.
 */

const api = await openTestApi()

const taken = async (caller: Caller, query: Record<string, string>) => {
  const { status, body } = await caller.get(`/patchbay/accounts/taken?${String(new URLSearchParams(query))}`)
  return { status, body }
}

const yes = { status: 200, body: { name: true, sip_realm: true } }
const no = { status: 200, body: { name: false, sip_realm: false } }

/** Creates an account of another provider, and callers outside of it. */
const rivals = async () => {
  const rival = await api.provider()
  const existingValues = { name: `rival ${randomUUID()}`, sip_realm: `${randomUUID()}.example.org` }
  const account = await api.account(rival, existingValues)
  const service_provider_sid = await api.provider()
  const own = await api.account(service_provider_sid)
  const ofProvider = await api.apiKey({ service_provider_sid })
  const ofAccount = await api.apiKey({ account_sid: own })
  return {
    rival,
    query: existingValues,
    account,
    service_provider_sid,
    provider: ofProvider.caller,
    ofAccount: ofAccount.caller,
  }
}

describe('checking whether a name or realm is in use', () => {
  test('a provider can check realms globally, because they are unique, but names only in its own scope', async () => {
    const { rival, query, provider } = await rivals()
    expect(await taken(provider, query)).toEqual({ ...yes, body: { name: false, sip_realm: true } })
    expect((await taken(provider, { ...query, service_provider_sid: rival })).body).toMatchObject({ name: false })
    expect(await taken(api.admin, query)).toEqual(yes)
  })

  test('a user of an account cannot check realms', async () => {
    const { query, ofAccount } = await rivals()
    expect(await taken(ofAccount, query)).toEqual(no)
  })

  test('excluding an account of another tenant does not reveal the owner of a realm', async () => {
    const { query, account, provider } = await rivals()
    expect((await taken(provider, { ...query, except: account })).body).toMatchObject({ sip_realm: true })
    expect(await taken(api.admin, { ...query, except: account })).toEqual(no)
  })

  test('a tenant is rate limited over all of its keys; other tenants and admins are not affected', async () => {
    const { query, provider, service_provider_sid } = await rivals()
    const statuses = []
    for (let count = 0; count < maxNameChecksPerMinute; count += 1) statuses.push((await taken(provider, query)).status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    const refused = await taken(provider, query)
    expect(refused).toMatchObject({ status: 429, body: { msg: 'Too many requests, please try again later.' } })
    const another = await api.apiKey({ service_provider_sid })
    expect((await taken(another.caller, query)).status).toBe(429)
    expect((await taken((await rivals()).provider, query)).status).toBe(200)
    for (let count = 0; count <= maxNameChecksPerMinute; count += 1)
      expect((await taken(api.admin, query)).status).toBe(200)
  })
})
