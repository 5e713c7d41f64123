import { createServices } from '@patchbay/server/app/create-services'
import { firstStart } from '@patchbay/server/app/seed/first-start'
import { toApiError } from '@patchbay/server/http/errors'
import { createUser } from '@patchbay/server/resources/users/store'
import { type Answer, createTestApi, type TestApi, testConfiguration } from '@patchbay/testkit/test-api'
import { createTestDatabase } from '@patchbay/testkit/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * Check-then-write operations with twenty concurrent requests: one succeeds, the others get an error, and nothing is
 * duplicated.
 */

let api: TestApi
let provider: string
let account: string
let user: string
beforeAll(async () => {
  api = await createTestApi()
  provider = await api.provider()
  account = await api.account(provider)
  user = (await api.user()).sid
  // Databases of existing jambonz installations may lack these rows.
  await api.test.database.db.deleteFrom('user_permissions').execute()
  await api.test.database.db.deleteFrom('permissions').where('name', '=', 'VIEW_ONLY').execute()
})
afterAll(() => api.close())

const parallel = 20

type Outcome = Pick<Answer, 'status' | 'body'>

/** Does the same as POST /Users after hashing the password, which only few requests can do concurrently. */
const makeUser = async (name: string, email: string): Promise<Outcome> => {
  const row = { name, email, hashed_password: '', is_active: 1, force_change: 0 } as const
  const noOwner = { account_sid: null, service_provider_sid: null }
  try {
    return {
      status: 201,
      body: await api.services.write('patchbay', (tx) => createUser(tx, { ...row, ...noOwner }, false)),
    }
  } catch (error) {
    return toApiError(error)
  }
}

interface Race {
  what: string
  send: (nth: number) => Promise<Outcome>
  /** Status of the request that succeeds, or of all requests if `all` is set. */
  done: number
  all?: boolean
  /** Returns the rows afterwards, which must be exactly one. */
  rows: () => string
}

const races: Race[] = [
  {
    what: 'a sign-in name',
    send: (nth) => makeUser('same-name', `own-${nth}@example.org`),
    done: 201,
    rows: () => `users where name = 'same-name'`,
  },
  {
    what: 'an email address',
    send: (nth) => makeUser(`own-name-${nth}`, 'same@example.org'),
    done: 201,
    rows: () => `users where email = 'same@example.org'`,
  },
  {
    what: 'a view-only mark, and the permission it needs',
    send: () => api.admin.put(`/Users/${user}`, { is_view_only: 1 }),
    done: 204,
    all: true,
    rows: () => `user_permissions where user_sid = '${user}'`,
  },
  {
    what: 'a limit of an account',
    send: (nth) => api.admin.post(`/Accounts/${account}/Limits`, { category: 'device', quantity: nth + 1 }),
    done: 201,
    all: true,
    rows: () => `account_limits where account_sid = '${account}'`,
  },
  {
    what: 'a limit of a provider',
    send: (nth) => api.admin.post(`/ServiceProviders/${provider}/Limits`, { category: 'device', quantity: nth + 1 }),
    done: 201,
    all: true,
    rows: () => `service_provider_limits where service_provider_sid = '${provider}'`,
  },
  {
    what: 'the webhook of an account',
    send: (nth) =>
      api.admin.put(`/Accounts/${account}`, {
        registration_hook: { url: `https://a.example.org/${nth}`, method: 'POST' },
      }),
    done: 204,
    all: true,
    rows: () => `webhooks where url like 'https://a.example.org/%'`,
  },
  {
    what: 'the webhook of a provider',
    send: (nth) =>
      api.admin.put(`/ServiceProviders/${provider}`, {
        registration_hook: { url: `https://p.example.org/${nth}`, method: 'POST' },
      }),
    done: 204,
    all: true,
    rows: () => `webhooks where url like 'https://p.example.org/%'`,
  },
  {
    what: 'the password policy',
    send: (nth) => api.admin.post('/PasswordSettings', { min_password_length: 6 + (nth % 10) }),
    done: 201,
    all: true,
    rows: () => 'password_settings',
  },
  {
    what: 'the system information',
    send: (nth) => api.admin.post('/SystemInformation', { domain_name: `${nth}.example.org` }),
    done: 201,
    all: true,
    rows: () => 'system_information',
  },
  {
    what: 'the user name of a SIP client',
    send: (nth) =>
      api.admin.post('/Clients', { account_sid: account, username: nth % 2 ? 'same-device' : 'SAME-device' }),
    done: 201,
    rows: () => `clients where username = 'same-device'`,
  },
  {
    what: 'the name of a provider',
    send: () => api.admin.post('/ServiceProviders', { name: 'same provider' }),
    done: 201,
    rows: () => `service_providers where name = 'same provider'`,
  },
  {
    what: 'the realm of an account',
    send: (nth) =>
      api.admin.post('/Accounts', {
        name: `of a realm ${nth}`,
        service_provider_sid: provider,
        sip_realm: 'same.example.org',
      }),
    done: 201,
    rows: () => `accounts where sip_realm = 'same.example.org'`,
  },
]

test.each(races)('$what: one request succeeds', async ({ send, done, all = false, rows }) => {
  const answers = await Promise.all(Array.from({ length: parallel }, (_, nth) => send(nth)))
  const refused = answers.filter(({ status }) => status !== done)
  expect(refused).toHaveLength(all ? 0 : parallel - 1)
  for (const { status, body } of refused) {
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(body).toMatchObject({ msg: expect.stringMatching(/./) as unknown })
  }
  const counted = await sql<{ n: number }>`select count(*) as n from ${sql.raw(rows())}`.execute(api.test.database.db)
  expect(Number(counted.rows[0]?.n)).toBe(1)
})

test('five concurrent first starts on one database create one admin', async () => {
  const { database, migrated, drop } = await createTestDatabase()
  const services = createServices({ configuration: testConfiguration(), database })
  try {
    const starts = Array.from({ length: 5 }, () => firstStart(services, migrated))
    const admins = (await Promise.all(starts)).filter((admin) => admin !== undefined)
    expect(admins).toHaveLength(1)
    expect(await database.db.selectFrom('users').select('name').execute()).toEqual([{ name: 'admin' }])
  } finally {
    await drop()
  }
})
