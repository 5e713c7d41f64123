import { randomUUID } from 'node:crypto'
import type { Owner, Scope } from '@patchbay/contract/api/access'
import type { TokenClaims } from '@patchbay/contract/sessions'
import type { WriteTransaction } from '@patchbay/server/database/write-transaction'
import type { Encryption } from '@patchbay/server/lib/encryption'
import { SignJWT } from 'jose'
import { afterAll } from 'vitest'
import { type Caller, createTestApi, type TestApi, testSecret } from './test-api.ts'

/** The app with two tenants for the tests of a file. */

/** Starts the app for the tests of a file, and closes it after the last one. */
export const openTestApi = async (...options: Parameters<typeof createTestApi>): Promise<TestApi> => {
  const api = await createTestApi(...options)
  afterAll(() => api.close())
  return api
}

/** Starts the app with a world for the tests of a file. */
export const openTestWorld = async (
  ...options: Parameters<typeof createTestApi>
): Promise<{ api: TestApi; world: World }> => {
  const api = await openTestApi(...options)
  return { api, world: await createWorld(api) }
}

/** An unconfirmed email destination without owner. */
export const newMailbox = {
  name: 'on call',
  kind: 'email',
  target: 'operator@example.org',
  types: '[]',
  is_active: 1 as const,
  claimed_until: 0,
  minute_at: 0,
  minute_sent: 0,
  left_out: 0,
}

export const worldPassword = 'Pass-of-the-w0rld'

export interface WorldUser extends Owner {
  user_sid: string
  name: string
  is_view_only: boolean
  force_change: 0 | 1
}

export interface WorldKey extends Owner {
  api_key_sid: string
  token: string
}

const thingNames = [
  'alert_acknowledgment_sid',
  'alert_destination_sid',
  'application_sid',
  'phone_number_sid',
  'ms_teams_tenant_sid',
  'client_sid',
  'voip_carrier_sid',
  'sip_gateway_sid',
  'smpp_gateway_sid',
  'speech_credential_sid',
  'google_custom_voice_sid',
  'lcr_sid',
  'lcr_route_sid',
  'lcr_carrier_set_entry_sid',
] as const

/** A resource of each kind for one account. */
export type AccountThings = Readonly<Record<(typeof thingNames)[number], string>>

/**
 * Two providers: P with the accounts A and A2, and Q with the account B, with users and API keys of every kind. The
 * rows are inserted directly into the database, so that tests can create many worlds quickly.
 */
export interface World {
  /** Sids by name. */
  sid: Readonly<Record<'P' | 'Q' | 'A' | 'A2' | 'B', string>>
  users: Readonly<Record<UserName, WorldUser>>
  keys: Readonly<Record<KeyName, WorldKey>>
  /** Sids of the resources of each account, by kind. */
  things: Readonly<Record<'A' | 'A2' | 'B', AccountThings>>
  /** Sids, names, realms, tokens, and addresses that occur only in these scopes. */
  marks: Readonly<Record<'P' | 'A', readonly string[]>>
}

const userNames = [
  'user of A',
  'another user of A',
  'user of A2',
  'user of B',
  'user of P',
  'user of Q',
  'admin',
  'view-only user of A',
  'view-only user of P',
  'view-only admin',
  'user of A who must change the password',
  'user of P who must change the password',
  'admin who must change the password',
] as const
export type UserName = (typeof userNames)[number]

const keyNames = ['key of A', 'key of A2', 'key of B', 'key of P', 'key of Q', 'admin key'] as const
export type KeyName = (typeof keyNames)[number]

let sharedHash: Promise<string> | undefined

/** The scope is the last capital letter in the name, except for admins. */
const toScopedOwner = (name: string, sid: World['sid']): Owner => {
  const [, at] = / of (A2|A|B|P|Q)\b/.exec(name) ?? []
  if (at === 'P' || at === 'Q') return { account_sid: null, service_provider_sid: sid[at] }
  if (at === 'A' || at === 'A2') return { account_sid: sid[at], service_provider_sid: sid.P }
  return at === 'B'
    ? { account_sid: sid.B, service_provider_sid: sid.Q }
    : { account_sid: null, service_provider_sid: null }
}

const insertTenancy = async (
  trx: WriteTransaction['trx'],
  sid: World['sid'],
  realms: Record<string, string>,
): Promise<void> => {
  const hook = async (url: string) => {
    const webhook_sid = randomUUID()
    await trx.insertInto('webhooks').values({ webhook_sid, url, username: 'hook', password: 'hook-password' }).execute()
    return webhook_sid
  }
  for (const name of ['P', 'Q'] as const)
    await trx
      .insertInto('service_providers')
      .values({
        service_provider_sid: sid[name],
        name: `provider ${sid[name]}`,
        registration_hook_sid: await hook(`https://${sid[name]}.example.org`),
      })
      .execute()
  for (const name of ['A', 'A2', 'B'] as const)
    await trx
      .insertInto('accounts')
      .values({
        account_sid: sid[name],
        name: `account ${sid[name]}`,
        service_provider_sid: name === 'B' ? sid.Q : sid.P,
        sip_realm: realms[name] ?? null,
        webhook_secret: `wh_secret_${sid[name].slice(0, 22)}`,
        registration_hook_sid: await hook(`https://${sid[name]}.example.org`),
      })
      .execute()
  for (const name of ['A', 'A2', 'B'] as const)
    await trx
      .insertInto('account_limits')
      .values({ account_limits_sid: randomUUID(), account_sid: sid[name], category: 'device', quantity: 7 })
      .execute()
  for (const name of ['P', 'Q'] as const)
    await trx
      .insertInto('service_provider_limits')
      .values({
        service_provider_limits_sid: randomUUID(),
        service_provider_sid: sid[name],
        category: 'device',
        quantity: 8,
      })
      .execute()
}

const insertThings = async (
  trx: WriteTransaction['trx'],
  owner: { account_sid: string; service_provider_sid: string },
  things: AccountThings,
  encryption: Encryption,
): Promise<void> => {
  const { application_sid, phone_number_sid, ms_teams_tenant_sid, client_sid } = things
  const { voip_carrier_sid, sip_gateway_sid, smpp_gateway_sid } = things
  const { account_sid, service_provider_sid } = owner
  const call_hook_sid = randomUUID()
  const hook = { webhook_sid: call_hook_sid, url: `https://${application_sid}.example.org` }
  await trx
    .insertInto('webhooks')
    .values({ ...hook, username: 'hook', password: 'hook-password' })
    .execute()
  await trx
    .insertInto('applications')
    .values({ application_sid, account_sid, name: `application ${application_sid}`, call_hook_sid })
    .execute()
  await trx.insertInto('phone_numbers').values({ phone_number_sid, account_sid, number: phone_number_sid }).execute()
  const tenant_fqdn = `${ms_teams_tenant_sid}.example.org`
  await trx
    .insertInto('ms_teams_tenants')
    .values({ ms_teams_tenant_sid, account_sid, service_provider_sid, tenant_fqdn })
    .execute()
  await trx.insertInto('clients').values({ client_sid, account_sid, username: client_sid }).execute()
  await trx
    .insertInto('patchbay_alert_acknowledgments')
    .values({
      alert_acknowledgment_sid: things.alert_acknowledgment_sid,
      group_key: things.alert_acknowledgment_sid.slice(4),
      ...owner,
      until_at: 1,
      single_ns: -1,
      acknowledged_at: 1,
    })
    .execute()
  await trx
    .insertInto('patchbay_alert_addresses')
    .values({
      alert_destination_sid: things.alert_destination_sid,
      target: newMailbox.target,
      link_until: 0,
      confirmed_at: 1,
    })
    .execute()
  await trx
    .insertInto('patchbay_alert_destinations')
    .values({ ...newMailbox, alert_destination_sid: things.alert_destination_sid, account_sid })
    .execute()
  const passwords = { register_password: `register-${voip_carrier_sid}`, smpp_password: `smpp-${voip_carrier_sid}` }
  await trx
    .insertInto('voip_carriers')
    .values({ voip_carrier_sid, ...owner, name: `carrier ${voip_carrier_sid}`, ...passwords })
    .execute()
  const gateway = { voip_carrier_sid, ipv4: '10.1.1.1', inbound: 1, outbound: 0 } as const
  await trx
    .insertInto('sip_gateways')
    .values({ ...gateway, sip_gateway_sid })
    .execute()
  await trx
    .insertInto('smpp_gateways')
    .values({ ...gateway, smpp_gateway_sid })
    .execute()
  const { speech_credential_sid } = things
  const credential = encryption.encrypt(
    JSON.stringify({ riva_server_uri: `${speech_credential_sid}.example.org:50051` }),
  )
  await trx
    .insertInto('speech_credentials')
    .values({ speech_credential_sid, ...owner, vendor: 'nvidia', label: speech_credential_sid, credential })
    .execute()
  const { google_custom_voice_sid } = things
  await trx
    .insertInto('google_custom_voices')
    .values({
      google_custom_voice_sid,
      speech_credential_sid,
      name: `voice ${google_custom_voice_sid}`,
      model: 'm',
      voice_cloning_key: `key ${google_custom_voice_sid}`,
    })
    .execute()
  const { lcr_sid, lcr_route_sid, lcr_carrier_set_entry_sid } = things
  await trx
    .insertInto('lcr')
    .values({ lcr_sid, name: `lcr ${lcr_sid}`, account_sid })
    .execute()
  await trx.insertInto('lcr_routes').values({ lcr_route_sid, lcr_sid, regex: '^1', priority: 0 }).execute()
  await trx
    .insertInto('lcr_carrier_set_entry')
    .values({ lcr_carrier_set_entry_sid, lcr_route_sid, voip_carrier_sid })
    .execute()
}

const insertUser = async (trx: WriteTransaction['trx'], user: WorldUser, hashed_password: string): Promise<void> => {
  const { is_view_only, ...row } = user
  const email = `${user.user_sid}@example.org`
  await trx
    .insertInto('users')
    .values({ ...row, email, hashed_password, provider: 'local' })
    .execute()
  if (!is_view_only) return
  const { permission_sid } = await trx
    .selectFrom('permissions')
    .select('permission_sid')
    .where('name', '=', 'VIEW_ONLY')
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('user_permissions')
    .values({ user_permissions_sid: randomUUID(), user_sid: user.user_sid, permission_sid })
    .execute()
}

export const createWorld = async ({
  test: { database },
  services: { passwords, encryption },
}: TestApi): Promise<World> => {
  const sid = { P: randomUUID(), Q: randomUUID(), A: randomUUID(), A2: randomUUID(), B: randomUUID() }
  const realms = Object.fromEntries(['A', 'A2', 'B'].map((name) => [name, `${randomUUID()}.example.org`]))
  sharedHash ??= passwords.hash(worldPassword)
  const hash = await sharedHash
  const users = Object.fromEntries(
    userNames.map((name): [UserName, WorldUser] => {
      const user_sid = randomUUID()
      const is_view_only = name.startsWith('view-only')
      const force_change = name.includes('must change') ? 1 : 0
      return [name, { user_sid, name: `user ${user_sid}`, is_view_only, force_change, ...toScopedOwner(name, sid) }]
    }),
  ) as Record<UserName, WorldUser>
  const keys = Object.fromEntries(
    keyNames.map((name): [KeyName, WorldKey] => {
      const owner = toScopedOwner(name, sid)
      const service_provider_sid = owner.account_sid === null ? owner.service_provider_sid : null
      return [
        name,
        { api_key_sid: randomUUID(), token: randomUUID(), account_sid: owner.account_sid, service_provider_sid },
      ]
    }),
  ) as Record<KeyName, WorldKey>
  const createSids = () => Object.fromEntries(thingNames.map((name) => [name, randomUUID()])) as AccountThings
  const things = { A: createSids(), A2: createSids(), B: createSids() }
  await database.db.transaction().execute(async (trx) => {
    await insertTenancy(trx, sid, realms)
    for (const name of ['A', 'A2', 'B'] as const)
      await insertThings(
        trx,
        { account_sid: sid[name], service_provider_sid: name === 'B' ? sid.Q : sid.P },
        things[name],
        encryption,
      )
    for (const user of Object.values(users)) await insertUser(trx, user, hash)
    for (const key of Object.values(keys)) await trx.insertInto('api_keys').values(key).execute()
  })
  const collectMarks = (names: readonly string[], accounts: readonly ('A' | 'A2')[]) => [
    ...accounts.flatMap((name) => [sid[name], realms[name] ?? '', `wh_secret_${sid[name].slice(0, 22)}`]),
    ...accounts.flatMap((name) => Object.values(things[name])),
    ...userNames.filter((name) => names.includes(name)).map((name) => users[name].user_sid),
    ...keyNames
      .filter((name) => names.includes(name))
      .flatMap((name) => [keys[name].api_key_sid, keys[name].token, `********${keys[name].token.slice(-4)}`]),
  ]
  const ofA = [
    'user of A',
    'another user of A',
    'view-only user of A',
    'user of A who must change the password',
    'key of A',
  ]
  const ofP = [
    ...ofA,
    'user of A2',
    'user of P',
    'view-only user of P',
    'user of P who must change the password',
    'key of A2',
    'key of P',
  ]
  return {
    sid,
    users,
    keys,
    things,
    marks: { A: collectMarks(ofA, ['A']), P: [sid.P, ...collectMarks(ofP, ['A', 'A2'])] },
  }
}

const getScope = ({ account_sid, service_provider_sid }: Owner): Scope =>
  account_sid !== null ? 'account' : service_provider_sid !== null ? 'service_provider' : 'admin'

/** Returns the token claims of this user. */
const createClaims = (user: WorldUser): TokenClaims => ({
  scope: getScope(user),
  user_sid: user.user_sid,
  name: user.name,
  permissions: user.is_view_only ? ['VIEW_ONLY'] : [],
  is_view_only: user.is_view_only,
  ...(user.account_sid === null ? {} : { account_sid: user.account_sid, account_name: '' }),
  ...(user.service_provider_sid === null
    ? {}
    : { service_provider_sid: user.service_provider_sid, service_provider_name: '' }),
})

/** Starts a new session of this user. */
export const signedIn = async (api: TestApi, user: WorldUser): Promise<Caller> => {
  const { tokens, sessions } = api.services
  const issued = await tokens.issue(createClaims(user))
  if (issued === undefined) throw new Error('no token')
  const { token, expiresAt } = issued
  await sessions.start(token, user.user_sid, expiresAt)
  return api.as(token)
}

/** Creates an expired token whose session row still exists. */
export const expired = async (api: TestApi, user: WorldUser): Promise<Caller> => {
  const anHourAgo = Math.floor(Date.now() / 1000) - 3600
  const token = await new SignJWT({ ...createClaims(user) })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(anHourAgo - 3600)
    .setExpirationTime(anHourAgo)
    .setJti(randomUUID())
    .sign(new TextEncoder().encode(testSecret))
  await api.services.sessions.start(token, user.user_sid, Date.now() + 3_600_000)
  return api.as(token)
}
