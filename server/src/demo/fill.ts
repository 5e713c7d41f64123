import type { Owner } from '@patchbay/contract/access'
import type { FastifyInstance } from 'fastify'
import { randomUUID } from 'node:crypto'
import { sqlTime } from '../database/engine.ts'
import { createAccount } from '../resources/accounts/store.ts'
import { createApiKey } from '../resources/api-keys/store.ts'
import { accountLimits, providerLimits } from '../resources/limits/store.ts'
import { createProvider } from '../resources/service-providers/store.ts'
import { saveSystemInformation } from '../resources/system-information/store.ts'
import { createUser } from '../resources/users/store.ts'
import type { Services } from '../services.ts'
import { alertLine, callLine, type CallOwner, callTimes } from './call-lines.ts'
import { createDice, type Dice } from './dice.ts'
import {
  accountName,
  applicationNames,
  demoUsers,
  deviceNames,
  mailDomain,
  providerDomain,
  providerName,
  realmOf,
} from './names.ts'

/** A believable provider for newcomers, pictures and benchmarks: the same names, numbers and calls every time. */
export interface DemoSize {
  accounts: number
  calls: number
  alerts: number
  /** over how many days before `until` the calls are spread */
  days: number
  /** epoch milliseconds of the last call */
  until: number
  /** the part of all calls that the first account has, from 0 to 1; the others share the rest */
  busiest: number
}

export interface DemoPlace {
  services: Pick<Services, 'write' | 'database' | 'passwords' | 'encryption'>
  /** takes line protocol, as `createInfluxIntake` makes it */
  intake: FastifyInstance
  progress(what: string, done: number, of: number): void
}

export interface Demo {
  service_provider_sid: string
  accounts: string[]
  /** names of users who sign in with the password that was given */
  users: string[]
}

const linesAtOnce = 2000
const teamsDomain = `teams.${providerDomain}`

const fillAccounts = async (
  { services: { write, database }, progress }: DemoPlace,
  service_provider_sid: string,
  count: number,
): Promise<string[]> => {
  const sids: string[] = []
  for (let position = 0; position < count; position += 1) {
    const name = accountName(position)
    const registration_hook =
      position % 3 === 0 ? { url: `https://hooks.example.com/${position}/register`, method: 'POST' as const } : null
    const account = { name, service_provider_sid, sip_realm: realmOf(name), registration_hook }
    sids.push(await write('patchbay', (door) => createAccount(door, database.engine, account)))
    progress('accounts', position + 1, count)
  }
  return sids
}

/** Applications with their hooks, numbers that they answer, SIP clients, and for one account its MS Teams tenant. */
const fillTelephony = async (
  { services: { write, encryption } }: DemoPlace,
  { account_sid, service_provider_sid }: CallOwner,
  position: number,
): Promise<void> => {
  const names = position === 0 ? applicationNames : applicationNames.slice(0, 1)
  await write('patchbay', async (door) => {
    const url = `wss://apps.example.com/${position}`
    const hook = { webhook_sid: randomUUID(), url, method: 'GET' } as const
    await door.trx.insertInto('webhooks').values(hook).execute()
    const hooks = { call_hook_sid: hook.webhook_sid, call_status_hook_sid: hook.webhook_sid }
    const applications = names.map((name) => ({ application_sid: randomUUID(), account_sid, name, ...hooks }))
    await door.trx.insertInto('applications').values(applications).execute()
    const numbers = applications.map(({ application_sid }, turn) => ({
      phone_number_sid: randomUUID(),
      account_sid,
      application_sid,
      number: `1508555${String(position * 10 + turn).padStart(4, '0')}`,
    }))
    await door.trx.insertInto('phone_numbers').values(numbers).execute()
    const devices = position === 0 ? deviceNames : deviceNames.slice(0, 1)
    const clients = devices.map((username, turn) => ({
      client_sid: randomUUID(),
      account_sid,
      username,
      password: encryption.encrypt(randomUUID()),
      is_active: turn === 2 ? (0 as const) : (1 as const),
    }))
    await door.trx.insertInto('clients').values(clients).execute()
    const tenant = { ms_teams_tenant_sid: randomUUID(), account_sid, service_provider_sid, tenant_fqdn: teamsDomain }
    if (position === 0) await door.trx.insertInto('ms_teams_tenants').values(tenant).execute()
    const [first] = applications
    await door.trx
      .updateTable('accounts')
      .set({ device_calling_application_sid: first?.application_sid ?? null })
      .where('account_sid', '=', account_sid)
      .execute()
  })
}

const fillUsers = async (
  { services: { write, passwords } }: DemoPlace,
  service_provider_sid: string,
  accounts: readonly string[],
  password: string,
): Promise<string[]> => {
  const known = await passwords.hash(password)
  // What everybody knows must not open everything.
  const unknown = await passwords.hash(randomUUID())
  const people = demoUsers.flatMap(({ account, ...user }) => {
    const account_sid = account === undefined ? null : accounts[account]
    return account_sid === undefined ? [] : [{ ...user, account_sid }]
  })
  for (const { name, scope, account_sid, is_active = 1, force_change = 0, viewOnly = false } of people) {
    const hashed_password = scope === 'admin' ? unknown : known
    const place = { account_sid, service_provider_sid: scope === 'admin' ? null : service_provider_sid }
    const user = { ...place, name, email: `${name}@${mailDomain}`, hashed_password, is_active, force_change }
    await write('patchbay', (door) => createUser(door, user, viewOnly))
  }
  return people
    .filter(({ scope, is_active, force_change }) => scope !== 'admin' && is_active !== 0 && !force_change)
    .map(({ name }) => name)
}

const day = 86_400_000

/** Keys of a provider, or of one of its accounts: used lately, long ago and never, and one that ends. */
const fillKeys = async ({ services: { write, database } }: DemoPlace, owner: Owner, until: number): Promise<void> => {
  const { engine, db } = database
  for (const { usedDaysAgo, endsInDays } of [
    { usedDaysAgo: 0, endsInDays: null },
    { usedDaysAgo: 1, endsInDays: 30 },
    { usedDaysAgo: 47, endsInDays: null },
    { usedDaysAgo: null, endsInDays: null },
  ]) {
    const expires_at = endsInDays === null ? null : new Date(until + endsInDays * day)
    const { sid } = await write('patchbay', (door) => createApiKey(door, engine, { ...owner, expires_at }))
    if (usedDaysAgo === null) continue
    const last_used = sqlTime(engine, new Date(until - usedDaysAgo * day))
    await db.updateTable('api_keys').set({ last_used }).where('api_key_sid', '=', sid).execute()
  }
}

const fillSettings = async (
  place: DemoPlace,
  service_provider_sid: string,
  account_sid: string | undefined,
  until: number,
): Promise<void> => {
  const { write } = place.services
  await write('patchbay', async (door) => {
    await saveSystemInformation(door, {
      domain_name: 'harbour-voice.example',
      sip_domain_name: providerDomain,
      monitoring_domain_name: 'monitoring.harbour-voice.example',
      private_network_cidr: '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16',
    })
    await providerLimits.set(door, service_provider_sid, 'voice_call_session', 500)
    if (account_sid) await accountLimits.set(door, account_sid, 'voice_call_session', 50)
  })
  await fillKeys(place, { account_sid: null, service_provider_sid }, until)
  if (account_sid) await fillKeys(place, { account_sid, service_provider_sid: null }, until)
}

const ownerPicker = (dice: Dice, owners: readonly CallOwner[], busiest: number) => {
  const [first, ...others] = owners
  return (): CallOwner => (first && (others.length === 0 || dice.roll() < busiest) ? first : dice.pick(others))
}

const send = async (intake: FastifyInstance, db: string, lines: readonly string[]): Promise<void> => {
  const answer = await intake.inject({ method: 'POST', url: `/write?db=${db}&precision=n`, payload: lines.join('\n') })
  if (answer.statusCode !== 204) throw new Error(`the intake answered ${answer.statusCode} ${answer.body}`)
}

interface Stream {
  db: 'cdrs' | 'alerts'
  count: number
  line: (dice: Dice, owner: CallOwner, at: number) => string
}

const fillStream = async (
  { intake, progress }: DemoPlace,
  owners: readonly CallOwner[],
  { days, until, busiest }: DemoSize,
  { db, count, line }: Stream,
): Promise<void> => {
  if (owners.length === 0) return
  const dice = createDice(count + days)
  const owner = ownerPicker(dice, owners, busiest)
  let lines: string[] = []
  let sent = 0
  const flush = async () => {
    await send(intake, db, lines)
    sent += lines.length
    lines = []
    progress(db === 'cdrs' ? 'calls' : 'alerts', sent, count)
  }
  for (const at of callTimes(dice, count, until - days * day, until)) {
    lines.push(line(dice, owner(), at))
    if (lines.length === linesAtOnce) await flush()
  }
  if (lines.length > 0) await flush()
}

export const fillDemo = async (place: DemoPlace, size: DemoSize, password: string): Promise<Demo> => {
  const { write } = place.services
  const service_provider_sid = await write('patchbay', (door) =>
    createProvider(door, { name: providerName, root_domain: providerDomain, ms_teams_fqdn: teamsDomain }),
  )
  const accounts = await fillAccounts(place, service_provider_sid, size.accounts)
  const users = await fillUsers(place, service_provider_sid, accounts, password)
  await fillSettings(place, service_provider_sid, accounts[0], size.until)
  const owners = accounts.map((account_sid) => ({ account_sid, service_provider_sid }))
  for (const [position, owner] of owners.entries()) await fillTelephony(place, owner, position)
  await fillStream(place, owners, size, { db: 'cdrs', count: size.calls, line: callLine })
  await fillStream(place, owners, size, { db: 'alerts', count: size.alerts, line: alertLine })
  return { service_provider_sid, accounts, users }
}
