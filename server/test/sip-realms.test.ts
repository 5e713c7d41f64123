import { randomUUID } from 'node:crypto'
import { createDnsMadeEasy } from '@patchbay/server/adapters/dns/dns-made-easy'
import { createApp } from '@patchbay/server/app/app'
import { createRealmRecordsCleanup } from '@patchbay/server/jobs/cleanup-realm-records'
import { maxAvailabilityChecksPerMinute, maxRealmChangesPerMinute } from '@patchbay/server/resources/sip-realms/routes'
import { type DnsFaultMode, type DnsStep, type FakeDns, startFakeDns } from '@patchbay/testkit/fakes/dns-made-easy'
import { type Answer, type Caller, createTestApi, type TestApi, testConfiguration } from '@patchbay/testkit/test-api'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { getRow, statusAndMessage } from './fixtures.ts'

/** SIP realms of accounts and their DNS records. After any failure, both sides agree in the end. */

let dns: FakeDns
let api: TestApi
let provider: string
/** First label of the provider's root domain. */
let label: string
beforeAll(async () => {
  dns = await startFakeDns(['example.org', 'sip.example.net'])
  api = await createTestApi({ ...dns.environment, RESERVED_SUBDOMAINS: 'partner' })
  for (const ipv4 of ['10.0.0.1', '10.0.0.2']) await api.admin.post('/Sbcs', { ipv4 })
  await api.admin.post('/Sbcs', { ipv4: '10.0.0.1', port: 5062 })
})
afterAll(async () => {
  await api.close()
  await dns.stop()
})
/** Each test has a separate provider, so that rate limits have no effect. */
beforeEach(async () => {
  label = aName()
  provider = await api.provider()
  await api.admin.put(`/ServiceProviders/${provider}`, { root_domain: `${label}.example.org` })
})
const steps: readonly DnsStep[] = ['domains', 'find', 'make', 'remove']
afterEach(() => steps.forEach((step) => dns.at(step)))

const others: FastifyInstance[] = []
afterEach(async () => {
  await Promise.all(others.splice(0).map((app) => app.close()))
})

const aName = () => `n${randomUUID().slice(0, 12)}`
const getRealm = (name: string) => `${name}.${label}.example.org`

interface Tenant {
  account_sid: string
  caller: Caller
  post(realm: string): Promise<Answer>
  realm(): Promise<unknown>
}

const tenant = async (service_provider_sid = provider): Promise<Tenant> => {
  const account_sid = await api.account(service_provider_sid)
  const { caller } = await api.user({ service_provider_sid, account_sid })
  return {
    account_sid,
    caller,
    post: (realm) => caller.post(`/Accounts/${account_sid}/SipRealms/${realm}`),
    realm: async () => (getRow(await caller.get('/Users/me'))['account'] as { sip_realm: unknown }).sip_realm,
  }
}

const findDnsLines = (name: string): string[] => dns.listRecords().filter((line) => line.includes(name))

/** Returns the expected DNS records of a realm. */
const expectedRecords = (name: string): string[] =>
  [
    `${name}.${label} A 10.0.0.1`,
    `${name}.${label} A 10.0.0.2`,
    `_sip._udp.${name}.${label} SRV ${name}.${label}`,
  ].toSorted()

const readRecordIds = async (account_sid: string): Promise<number[]> => {
  const { db } = api.test.database
  const rows = await db.selectFrom('dns_records').select('record_id').where('account_sid', '=', account_sid).execute()
  return rows.map(({ record_id }) => record_id).toSorted((one, another) => one - another)
}

const findLeftovers = async (name: string) => {
  const { db } = api.test.database
  const rows = db
    .selectFrom('patchbay_realm_records')
    .select(['state', 'claim'])
    .where('sip_realm', '=', getRealm(name))
  return rows.execute()
}

const lost: string[] = []
/** Runs the cleanup as another process would do it, after the time limit of the first. */
const tidy = async (): Promise<void> => {
  const { database } = api.test
  await database.db.updateTable('patchbay_realm_records').set({ due_at: 1 }).where('due_at', 'is not', null).execute()
  const settings = testConfiguration(dns.environment).dns
  if (settings === null) throw new Error('It is not set.')
  const onError = (_error: unknown, what: string) => lost.push(what)
  await createRealmRecordsCleanup({ database, dns: createDnsMadeEasy(settings) }, onError)()
}

/** Waits until a realm has neither rows nor DNS records. */
const waitUntilDeleted = async (name: string): Promise<void> => {
  await expect
    .poll(async () => {
      await tidy()
      return [findDnsLines(name), await findLeftovers(name)]
    })
    .toEqual([[], []])
}

/** Creates another process on the same database, which sets realms as an admin. */
const createTestApiOn = async (environment: NodeJS.ProcessEnv) => {
  const { database } = api.test
  const app = await createApp({ configuration: testConfiguration(environment), database, checkAnswers: true })
  others.push(app)
  const set = async (account_sid: string, realm: string): Promise<Answer> => {
    const url = `/v1/Accounts/${account_sid}/SipRealms/${realm}`
    const headers = { authorization: `Bearer ${api.admin.token}` }
    const { statusCode: status, body: text } = await app.inject({ method: 'POST', url, headers })
    set.done = true
    return { status, text, body: text === '' ? undefined : JSON.parse(text), headers: {} }
  }
  set.done = false
  return set
}

const available = (caller: Caller, value: string, type = 'subdomain') =>
  caller.get(`/Availability?${new URLSearchParams({ type, value }).toString()}`)

const free = { status: 200, body: { available: true } }
const taken = { status: 200, body: { available: false } }
const inUse = [422, 'Duplicate entry: sip_realm is already in use']

describe('availability', () => {
  test('API-118 a subdomain is available until it is in use, regardless of case', async () => {
    const [one, another] = [await tenant(), await tenant()]
    const name = aName()
    expect(await available(one.caller, getRealm(name))).toMatchObject(free)
    expect((await one.post(getRealm(name))).status).toBe(204)
    expect(await available(another.caller, getRealm(name).toUpperCase())).toMatchObject(taken)
    expect(await available(another.caller, getRealm(`${name}x`))).toMatchObject(free)
  })

  test.each(['ab', '-abc', 'a.b', 'a b', 'ü'.repeat(3), '', '%00'])('%j is not available', async (name) => {
    expect(await available((await tenant()).caller, getRealm(name))).toMatchObject(taken)
  })

  test('the root domain itself, its parent, and a name that is no domain are not available', async () => {
    const { caller } = await tenant()
    for (const realm of [`${label}.example.org`, 'example.org', 'abc'])
      expect(await available(caller, realm)).toMatchObject(taken)
  })

  test('a realm outside the root domain is available, as in jambonz, and cannot be chosen', async () => {
    const { caller, post } = await tenant()
    for (const realm of ['www.example.org', `${aName()}.example.com`, `evil${label}.example.org`]) {
      expect(await available(caller, realm)).toMatchObject(free)
      expect((await post(realm)).status).toBe(400)
    }
  })

  test('the check of a realm outside the root domain reveals nothing about accounts that the caller may not see', async () => {
    const [own, other] = [await tenant(), await tenant()]
    const sip_realm = `sip.${aName()}.example.com`
    await api.admin.put(`/Accounts/${other.account_sid}`, { sip_realm })
    expect(await available(own.caller, sip_realm)).toMatchObject(free)
    expect(await available(other.caller, sip_realm)).toMatchObject(taken)
    expect(await available(api.admin, sip_realm)).toMatchObject(taken)
  })

  test.each(['email', 'phone'])(
    'the check of an %s reveals nothing about users that the caller may not see',
    async (type) => {
      const [own, other] = [await tenant(), await tenant()]
      const value = `${randomUUID().slice(0, 15)}${type === 'email' ? '@example.org' : ''}`
      await api.test.database.db
        .updateTable('users')
        .set({ [type]: value })
        .where('account_sid', '=', other.account_sid)
        .execute()
      expect(await available(own.caller, value, type)).toMatchObject(free)
      expect(await available(other.caller, value, type)).toMatchObject(taken)
      expect(await available(api.admin, value, type)).toMatchObject(taken)
    },
  )

  test('other types and missing values are rejected', async () => {
    const { caller } = await tenant()
    expect(statusAndMessage(await available(caller, 'x', 'name'))).toEqual([400, 'invalid type: name'])
    expect(statusAndMessage(await caller.get('/Availability'))).toEqual([400, 'invalid type: '])
    expect(statusAndMessage(await caller.get('/Availability?type=subdomain'))).toEqual([400, 'missing field value'])
    expect((await api.nobody.get('/Availability?type=subdomain&value=abc.sip.example.org')).status).toBe(401)
  })

  test('the number of checks per minute is limited', async () => {
    const { caller } = await tenant()
    for (let count = 0; count < maxAvailabilityChecksPerMinute; count += 1)
      expect((await available(caller, getRealm(aName()))).status).toBe(200)
    expect((await available(caller, getRealm(aName()))).status).toBe(429)
    expect((await available((await tenant()).caller, getRealm(aName()))).status).toBe(200)
  })
})

describe('setting a realm', () => {
  test('API-119 users/me shows it, and the DNS provider has its records', async () => {
    const { post, realm, account_sid } = await tenant()
    const name = aName()
    expect((await post(getRealm(name).toUpperCase())).status).toBe(204)
    expect(await realm()).toBe(getRealm(name))
    expect(findDnsLines(name)).toEqual(expectedRecords(name))
    expect(await readRecordIds(account_sid)).toHaveLength(3)
    // Setting the same realm again changes nothing.
    const before = dns.records.map(({ id }) => id)
    expect((await post(getRealm(name))).status).toBe(204)
    expect(dns.records.map(({ id }) => id)).toEqual(before)
  })

  test('a new realm replaces it and its records', async () => {
    const { post, realm, account_sid } = await tenant()
    const [first, second] = [aName(), aName()]
    await post(getRealm(first))
    const old = await readRecordIds(account_sid)
    expect((await post(getRealm(second))).status).toBe(204)
    expect(await realm()).toBe(getRealm(second))
    expect(findDnsLines(second)).toEqual(expectedRecords(second))
    await waitUntilDeleted(first)
    expect((await readRecordIds(account_sid)).filter((id) => old.includes(id))).toEqual([])
    expect((await (await tenant()).post(getRealm(first))).status).toBe(204)
  })

  test('records created by jambonz are removed with the realm', async () => {
    const { post, account_sid } = await tenant()
    const [old, name] = [aName(), aName()]
    dns.add({ zone: 'example.org', name: `${old}.${label}`, type: 'A', value: '10.0.0.1' })
    const record_id = dns.records.at(-1)?.id ?? 0
    const { db } = api.test.database
    await db
      .updateTable('accounts')
      .set({ sip_realm: getRealm(old) })
      .where('account_sid', '=', account_sid)
      .execute()
    await db
      .insertInto('dns_records')
      .values({ dns_record_sid: randomUUID(), account_sid, record_type: 'A', record_id })
      .execute()
    expect((await post(getRealm(name))).status).toBe(204)
    await waitUntilDeleted(old)
    expect(findDnsLines(name)).toEqual(expectedRecords(name))
  })

  test.each([
    ['ab', ' must be at least 3 characters long'],
    ['-abc', ''],
    ['abc.def', ' can contain only letters from a to z, digits, and hyphens'],
  ])('a user may not choose %s, and the response says why', async (name, why) => {
    const { post, realm } = await tenant()
    const requestedRealm = getRealm(name)
    expect(statusAndMessage(await post(requestedRealm))).toEqual([400, `invalid sip_realm: ${requestedRealm}${why}`])
    expect(await realm()).toBeNull()
  })

  test.each(['www', 'admin', 'api', 'mail', 'Www2', 'partner'])(
    'an account cannot claim the reserved subdomain %s, an administrator can assign it',
    async (name) => {
      const { account_sid, caller, post, realm } = await tenant()
      const requestedRealm = getRealm(name)
      expect(await available(caller, requestedRealm)).toMatchObject(taken)
      expect(statusAndMessage(await post(requestedRealm))).toEqual([
        400,
        `invalid sip_realm: ${requestedRealm} is reserved`,
      ])
      expect(await realm()).toBeNull()
      expect((await api.admin.post(`/Accounts/${account_sid}/SipRealms/${requestedRealm}`)).status).toBe(204)
    },
  )

  test.each(['xn--mller-kva', 'ab--cd'])('an account cannot claim %s, which is reserved for IDNA', async (name) => {
    const { caller, post } = await tenant()
    expect(await available(caller, getRealm(name))).toMatchObject(taken)
    expect((await post(getRealm(name))).status).toBe(400)
  })

  test.each(['abc', 'example.org', 'a..example.org', `${'a'.repeat(64)}.example.org`, 'a_b.example.org'])(
    'nobody may set %s',
    async (realm) => {
      const { account_sid, post } = await tenant()
      expect(statusAndMessage(await post(realm))).toEqual([400, `invalid sip_realm: ${realm}`])
      const byAdmin = await api.admin.post(`/Accounts/${account_sid}/SipRealms/${realm}`)
      expect(statusAndMessage(byAdmin)).toEqual([400, `invalid sip_realm: ${realm}`])
    },
  )

  test('users can choose only below the domain of their provider; operators can choose any, with records only below it', async () => {
    const { account_sid, post, realm } = await tenant()
    const elsewhere = `${aName()}.other.example.org`
    expect(statusAndMessage(await post(elsewhere))).toEqual([
      400,
      `invalid sip_realm: ${elsewhere} must be below ${label}.example.org`,
    ])
    const before = dns.listRecords()
    expect((await api.admin.post(`/Accounts/${account_sid}/SipRealms/${elsewhere}`)).status).toBe(204)
    expect([await realm(), dns.listRecords()]).toEqual([elsewhere, before])
  })

  test('for an account of another tenant gets the same error as for an unknown one', async () => {
    const [own, other] = [await tenant(), await tenant()]
    const name = aName()
    const expectedError = [403, 'insufficient privileges']
    for (const sid of [other.account_sid, randomUUID()])
      expect(statusAndMessage(await own.caller.post(`/Accounts/${sid}/SipRealms/${getRealm(name)}`))).toEqual(
        expectedError,
      )
    expect([await other.realm(), findDnsLines(name)]).toEqual([null, []])
  })

  test('existing records of the operator cannot be replaced', async () => {
    const name = aName()
    dns.add({ zone: 'example.org', name: `${name}.${label}`, type: 'CNAME', value: 'elsewhere' })
    const { post, realm } = await tenant()
    expect(statusAndMessage(await post(getRealm(name)))).toEqual(inUse)
    expect([await realm(), findDnsLines(name), await findLeftovers(name)]).toEqual([
      null,
      [`${name}.${label} CNAME elsewhere`],
      [],
    ])
  })

  test('the number of changes per minute is limited', async () => {
    const { post } = await tenant()
    for (let count = 0; count < maxRealmChangesPerMinute.account; count += 1) await post(getRealm('taken'))
    expect((await post(getRealm(aName()))).status).toBe(429)
  })

  test('without SBC addresses, the change is rejected', async () => {
    const { db } = api.test.database
    const sbcs = await db.selectFrom('sbc_addresses').selectAll().execute()
    await db.deleteFrom('sbc_addresses').execute()
    const { post, realm } = await tenant()
    const name = aName()
    expect(statusAndMessage(await post(getRealm(name)))).toEqual([422, 'no SBC addresses provisioned in the database!'])
    expect([await realm(), await findLeftovers(name)]).toEqual([null, []])
    await db.insertInto('sbc_addresses').values(sbcs).execute()
  })
})

describe('races', () => {
  test('three hundred concurrent requests for a name give it to one account, as decided by the database', async () => {
    const tenants = await Promise.all(Array.from({ length: 15 }, () => tenant()))
    const name = aName()
    const posts = Array.from({ length: 300 }, (_, nth) => tenants[nth % tenants.length])
    const answers = await Promise.all(posts.map(async (one) => (await one?.post(getRealm(name)))?.status ?? 0))
    expect(answers.filter((status) => ![204, 422, 429].includes(status))).toEqual([])
    const realms = await Promise.all(tenants.map((one) => one.realm()))
    expect(realms.filter((realm) => realm !== null)).toEqual([getRealm(name)])
    await tidy()
    expect(findDnsLines(name)).toEqual(expectedRecords(name))
    const { db } = api.test.database
    const rows = await db.selectFrom('dns_records').selectAll().execute()
    const ids = new Set(dns.records.map(({ id }) => id))
    expect(rows.every(({ record_id }) => ids.has(record_id))).toBe(true)
  })

  test('while the records are created, other requests are rejected immediately', async () => {
    const [first, second] = [await tenant(), await tenant()]
    const name = aName()
    const dnsRequest = dns.hold('make')
    const posting = first.post(getRealm(name))
    const release = await dnsRequest
    expect(statusAndMessage(await second.post(getRealm(name)))).toEqual(inUse)
    expect(await available(second.caller, getRealm(name))).toMatchObject(taken)
    expect((await first.post(getRealm(aName()))).status).toBe(429)
    release()
    expect((await posting).status).toBe(204)
    expect([await first.realm(), await second.realm()]).toEqual([getRealm(name), null])
  })
})

describe('failures are rolled back', () => {
  const faults: readonly DnsFaultMode[] = ['refuses', 'cut off', 'done but cut off', 'nonsense']

  describe.each(['domains', 'find', 'make'] as const)('at %s', (step) => {
    test.each(faults)(
      '%s: the old realm and its records remain, and the new one leaves nothing behind',
      async (fault) => {
        const { account_sid, realm, post } = await tenant()
        const [old, name] = [aName(), aName()]
        await post(getRealm(old))
        const ids = await readRecordIds(account_sid)
        // Domains are cached, so another process requests them again.
        const other = await createTestApiOn(dns.environment)
        dns.at(step, fault)
        const answer = await other(account_sid, getRealm(name))
        expect(statusAndMessage(answer)).toEqual([503, `failure updating dns records for ${getRealm(name)}`])
        dns.at(step)
        await waitUntilDeleted(name)
        expect([await realm(), await readRecordIds(account_sid), findDnsLines(old)]).toEqual([
          getRealm(old),
          ids,
          expectedRecords(old),
        ])
        // The name is available to others.
        expect((await (await tenant()).post(getRealm(name))).status).toBe(204)
      },
    )
  })

  test.each(faults)('a removal that %s is completed later', async (fault) => {
    const { realm, post } = await tenant()
    const [old, name] = [aName(), aName()]
    await post(getRealm(old))
    dns.at('remove', fault)
    expect((await post(getRealm(name))).status).toBe(204)
    expect(await realm()).toBe(getRealm(name))
    await tidy()
    dns.at('remove')
    await waitUntilDeleted(old)
    expect(findDnsLines(name)).toEqual(expectedRecords(name))
  })

  test('if creation and rollback both fail, the cleanup completes later, and the name can be claimed again until then', async () => {
    const [one, another] = [await tenant(), await tenant()]
    const name = aName()
    dns.at('make', 'done but cut off')
    dns.at('remove', 'refuses')
    const removal = dns.hold('remove')
    expect((await one.post(getRealm(name))).status).toBe(503)
    expect(findDnsLines(name)).toEqual(expectedRecords(name))
    // The rollback runs in the background. It has claimed the records when its request arrives.
    const release = await removal
    release()
    await api.test.database.db
      .updateTable('patchbay_realm_records')
      .set({ due_at: 1 })
      .where('claim', 'is', null)
      .where('state', '=', 'removing')
      .execute()
    dns.at('make')
    dns.at('remove')
    expect((await another.post(getRealm(name))).status).toBe(204)
    expect([findDnsLines(name), await one.realm(), await another.realm()]).toEqual([
      expectedRecords(name),
      null,
      getRealm(name),
    ])
    await tidy()
    expect(findDnsLines(name)).toEqual(expectedRecords(name))
  })

  test('if another account gets the realm in the meantime, no records remain', async () => {
    const [one, another] = [await tenant(), await tenant()]
    const name = aName()
    const dnsRequest = dns.hold('make')
    const posting = one.post(getRealm(name))
    const release = await dnsRequest
    expect((await api.admin.put(`/Accounts/${another.account_sid}`, { sip_realm: getRealm(name) })).status).toBe(204)
    release()
    expect(statusAndMessage(await posting)[0]).toBe(422)
    await waitUntilDeleted(name)
    expect(await one.realm()).toBeNull()
  })
})

describe('a killed process', () => {
  test.each(['find', 'make'] as const)('at %s leaves nothing behind', async (step) => {
    const { account_sid, realm } = await tenant()
    const name = aName()
    const dying = await createTestApiOn(dns.environment)
    const dnsRequest = dns.hold(step)
    void dying(account_sid, getRealm(name))
    const release = await dnsRequest
    // The time limit expires before the process gets a response.
    await tidy()
    expect(await findLeftovers(name)).toEqual([])
    expect(await available(api.admin, getRealm(name))).toMatchObject(free)
    release()
    await expect.poll(() => dying.done).toBe(true)
    await waitUntilDeleted(name)
    expect(await realm()).toBeNull()
  })

  test('after the records were created leaves nothing behind', async () => {
    const { account_sid } = await tenant()
    const name = aName()
    const record = { realm_records_sid: randomUUID(), account_sid, sip_realm: getRealm(name), claim: getRealm(name) }
    await api.test.database.db
      .insertInto('patchbay_realm_records')
      .values({ ...record, state: 'making', zone: 'example.org', due_at: 1 })
      .execute()
    dns.add({ zone: 'example.org', name: `${name}.${label}`, type: 'A', value: '10.0.0.1' })
    dns.add({ zone: 'example.org', name: `_sip._udp.${name}.${label}`, type: 'SRV', value: `${name}.${label}` })
    expect(findDnsLines(name)).toHaveLength(2)
    await waitUntilDeleted(name)
  })
})

describe('records are removed', () => {
  test('with the account', async () => {
    const { account_sid, post } = await tenant()
    const name = aName()
    await post(getRealm(name))
    expect((await api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
    await waitUntilDeleted(name)
    expect(await readRecordIds(account_sid)).toEqual([])
  })

  test('with the realm if an operator sets another one', async () => {
    const { account_sid, post } = await tenant()
    const name = aName()
    await post(getRealm(name))
    expect((await api.admin.put(`/Accounts/${account_sid}`, { sip_realm: `${aName()}.example.com` })).status).toBe(204)
    await waitUntilDeleted(name)
  })
})

test('providers cannot change their root domain if Patchbay manages DNS', async () => {
  const user = await api.user({ service_provider_sid: provider })
  const put = (body: object) => user.caller.put(`/ServiceProviders/${provider}`, body)
  const refused = [400, 'root_domain may only be changed by admins']
  for (const root_domain of ['example.org', '', null])
    expect(statusAndMessage(await put({ root_domain }))).toEqual(refused)
  expect((await put({ root_domain: `${label}.example.org`, description: 'ours' })).status).toBe(204)
})

test('without managed DNS, only the realm is stored', async () => {
  const bare = await createTestApi()
  const service_provider_sid = await bare.provider()
  const account_sid = await bare.account(service_provider_sid)
  const { caller } = await bare.user({ service_provider_sid, account_sid })
  // A provider without a root domain allows its accounts any realm, as in jambonz.
  expect((await caller.post(`/Accounts/${account_sid}/SipRealms/Acme.sip.example.com`)).status).toBe(204)
  expect(getRow(await caller.get('/Users/me'))['account']).toMatchObject({ sip_realm: 'acme.sip.example.com' })
  const second = await bare.account(service_provider_sid)
  const clash = await bare.admin.post(`/Accounts/${second}/SipRealms/acme.sip.example.com`)
  expect(statusAndMessage(clash)).toEqual(inUse)
  await bare.close()
})

test('only supported and signed requests were sent to the DNS provider', () => {
  expect(dns.faults).toEqual([])
})
