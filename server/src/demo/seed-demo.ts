import { randomUUID } from 'node:crypto'
import type { Owner } from '@patchbay/contract/api/access'
import { dayMs } from '@patchbay/contract/shared/durations'
import type { FastifyInstance } from 'fastify'
import { sqlTime } from '../database/engine.ts'
import { createAccount } from '../resources/accounts/store.ts'
import { createApiKey } from '../resources/api-keys/store.ts'
import { accountLimits, providerLimits } from '../resources/limits/store.ts'
import { createProvider } from '../resources/service-providers/store.ts'
import { saveSystemInformation } from '../resources/system-information/store.ts'
import { createUser } from '../resources/users/store.ts'
import { fillCallData, hasDetails } from './call-details.ts'
import { isRecordable, recordingUrl } from './call-recording.ts'
import {
  alertLine,
  type CallFacts,
  type CallOwner,
  callFacts,
  callLine,
  callTimes,
  type DemoCall,
} from './call-records.ts'
import { fillCarriers } from './carriers.ts'
import type { DemoContext } from './demo-context.ts'
import { fillFailedCalls } from './faulty-calls.ts'
import { accountName, demoUsers, mailDomain, providerDomain, providerName, teamsDomain, toRealm } from './names.ts'
import { type DemoAnswerer, fillNumbers } from './numbers.ts'
import { joinLegs } from './outbound-legs.ts'
import { fillRegistrations } from './registrations.ts'
import { fillRouting } from './routing.ts'
import { createRandom, type Random } from './seeded-random.ts'
import { fillSpeech } from './speech.ts'
import { type DemoAccount, fillAddresses, fillTelephony } from './telephony.ts'

/**
 * Options of the demo data: a realistic provider for evaluation, screenshots, and benchmarks. Names, numbers, and calls
 * are the same every time.
 */
export interface DemoSize {
  accounts: number
  calls: number
  alerts: number
  /** Number of phone numbers in addition to those of the accounts' applications. */
  numbers: number
  /** Number of days before `until` over which the calls are distributed. */
  days: number
  /** Time of the last call, in epoch milliseconds. */
  until: number
  /** Share of all calls that belong to the first account, from 0 to 1. The others share the rest. */
  busiest: number
}

export interface Demo {
  service_provider_sid: string
  accounts: string[]
  /** Names of the users who can sign in with the given password. */
  users: string[]
}

const lineBatchSize = 2000

const fillAccounts = async (
  { services: { write, database }, progress }: DemoContext,
  service_provider_sid: string,
  count: number,
): Promise<DemoAccount[]> => {
  const accounts: DemoAccount[] = []
  for (let position = 0; position < count; position += 1) {
    const name = accountName(position)
    const registration_hook =
      position % 3 === 0 ? { url: `https://hooks.example.com/${position}/register`, method: 'POST' as const } : null
    // A tenth of the accounts have no devices.
    const sip_realm = position % 10 === 6 ? null : toRealm(name)
    const account = { name, service_provider_sid, sip_realm, registration_hook }
    const account_sid = await write('patchbay', (tx) => createAccount(tx, database.engine, account))
    accounts.push({ account_sid, service_provider_sid, name, sip_realm })
    progress('accounts', position + 1, count)
  }
  return accounts
}

const fillUsers = async (
  { services: { write, passwords } }: DemoContext,
  service_provider_sid: string,
  accounts: readonly string[],
  password: string,
): Promise<string[]> => {
  const knownHash = await passwords.hash(password)
  // Admins get a random password, because the demo password is public.
  const unknownHash = await passwords.hash(randomUUID())
  const people = demoUsers.flatMap(({ account, ...user }) => {
    const account_sid = account === undefined ? null : accounts[account]
    return account_sid === undefined ? [] : [{ ...user, account_sid }]
  })
  for (const { name, scope, account_sid, is_active = 1, force_change = 0, viewOnly = false } of people) {
    const hashed_password = scope === 'admin' ? unknownHash : knownHash
    const context = { account_sid, service_provider_sid: scope === 'admin' ? null : service_provider_sid }
    const user = { ...context, name, email: `${name}@${mailDomain}`, hashed_password, is_active, force_change }
    await write('patchbay', (tx) => createUser(tx, user, viewOnly))
  }
  return people
    .filter(({ scope, is_active, force_change }) => scope !== 'admin' && is_active !== 0 && !force_change)
    .map(({ name }) => name)
}

/** Creates API keys of a provider or an account: used recently, used long ago, never used, and with an expiry date. */
const fillKeys = async ({ services: { write, database } }: DemoContext, owner: Owner, until: number): Promise<void> => {
  const { engine, db } = database
  for (const { name, usedDaysAgo, endsInDays } of [
    { name: 'Billing export', usedDaysAgo: 0, endsInDays: null },
    { name: 'Migration of phone numbers', usedDaysAgo: 1, endsInDays: 30 },
    { name: 'Old dashboard', usedDaysAgo: 47, endsInDays: null },
    { name: null, usedDaysAgo: null, endsInDays: null },
  ]) {
    const expires_at = endsInDays === null ? null : new Date(until + endsInDays * dayMs)
    const { sid } = await write('patchbay', (tx) => createApiKey(tx, { ...owner, name, expires_at }))
    if (usedDaysAgo === null) continue
    const last_used = sqlTime(engine, new Date(until - usedDaysAgo * dayMs))
    await db.updateTable('api_keys').set({ last_used }).where('api_key_sid', '=', sid).execute()
  }
}

const fillSettings = async (
  context: DemoContext,
  service_provider_sid: string,
  account_sid: string | undefined,
  until: number,
): Promise<void> => {
  const { write } = context.services
  await write('patchbay', async (tx) => {
    await saveSystemInformation(tx, {
      domain_name: 'harbour-voice.example',
      sip_domain_name: providerDomain,
      monitoring_domain_name: 'monitoring.harbour-voice.example',
      private_network_cidr: '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16',
    })
    await providerLimits.set(tx, service_provider_sid, 'voice_call_session', 500)
    if (account_sid) await accountLimits.set(tx, account_sid, 'voice_call_session', 50)
  })
  await fillKeys(context, { account_sid: null, service_provider_sid }, until)
  if (account_sid) await fillKeys(context, { account_sid, service_provider_sid: null }, until)
}

const ownerPicker = (dice: Random, owners: readonly CallOwner[], busiest: number) => {
  const [first, ...random] = owners
  return (): CallOwner => (first && (random.length === 0 || dice.roll() < busiest) ? first : dice.pick(random))
}

const send = async (intake: FastifyInstance, db: string, lines: readonly string[]): Promise<void> => {
  const answer = await intake.inject({ method: 'POST', url: `/write?db=${db}&precision=n`, payload: lines.join('\n') })
  if (answer.statusCode !== 204) throw new Error(`the intake answered ${answer.statusCode} ${answer.body}`)
}

/** Generates calls with their owners and times, oldest first. */
function* demoCalls(
  dice: Random,
  owners: readonly CallOwner[],
  { days, until, busiest }: DemoSize,
  count: number,
): Generator<DemoCall> {
  if (owners.length === 0) return
  const owner = ownerPicker(dice, owners, busiest)
  for (const at of callTimes(dice, count, until - days * dayMs, until)) yield { ...owner(), at, call_sid: dice.uuid() }
}

/**
 * Sends lines to the intake.
 * @param before number of lines that were sent earlier, for the progress report
 */
const fillStream = async (
  { intake, progress }: DemoContext,
  db: 'cdrs' | 'alerts',
  { count, before = 0 }: { count: number; before?: number },
  lines: Iterable<string>,
): Promise<void> => {
  let batch: string[] = []
  let lineCount = before
  const flush = async () => {
    await send(intake, db, batch)
    lineCount += batch.length
    batch = []
    progress(db === 'cdrs' ? 'calls' : 'alerts', lineCount, count)
  }
  for (const line of lines) {
    batch.push(line)
    if (batch.length === lineBatchSize) await flush()
  }
  if (batch.length > 0) await flush()
}

/** Number of the latest calls with complete data: traces, logs, and SIP messages. */
const detailedCalls = 200

/** Number of calls with a recording. They are the first eligible ones among the last 150. */
const recordedCalls = 10
const lastCalls = 150

/**
 * Number of the latest calls whose records are sent after their traces, as in jambonz. The post-dial delay of these
 * calls is known from the traces.
 */
const tracedFirst = 3 * detailedCalls

/** Creates the newest call. It always has details, because users open it first. */
const createNewestCall = (dice: Random, call: DemoCall): CallFacts => {
  for (;;) {
    const facts = callFacts(dice, call)
    if (hasDetails(facts)) return facts
  }
}

/**
 * Creates calls, and alerts about some of them. If there are more alerts than calls, the others refer to calls without
 * a record.
 */
const fillCalls = async (context: DemoContext, owners: readonly DemoAccount[], size: DemoSize): Promise<void> => {
  const { calls, alerts, days } = size
  const dice = createRandom(calls + days)
  const alertInterval = Math.max(1, Math.floor(calls / Math.max(1, alerts)))
  const alertedCalls: DemoCall[] = []
  const latest: CallFacts[] = []
  const failed: CallFacts[] = []
  function* callLines() {
    let position = 0
    let recorded = 0
    for (const call of demoCalls(dice, owners, size, calls)) {
      if (position % alertInterval === 0 && alertedCalls.length < alerts) alertedCalls.push(call)
      position += 1
      const facts = position === calls ? createNewestCall(dice, { ...call, ...owners[0] }) : callFacts(dice, call)
      if (recorded < recordedCalls && position > calls - lastCalls && hasDetails(facts) && isRecordable(facts)) {
        recorded += 1
        facts.recording_url = recordingUrl(facts)
      }
      if (position > calls - tracedFirst) {
        latest.push(facts)
        continue
      }
      if (!facts.answered) failed.push(facts)
      if (failed.length > 2 * detailedCalls) failed.splice(0, detailedCalls)
      yield callLine(dice, facts)
    }
  }
  await fillStream(context, 'cdrs', { count: calls }, callLines())
  joinLegs(latest)
  const companies = new Map(owners.map(({ account_sid, name }) => [account_sid, name]))
  await fillCallData(context, latest.filter(hasDetails).slice(-detailedCalls), companies)
  await fillFailedCalls(context, [...failed, ...latest.filter(({ answered }) => !answered)].slice(-detailedCalls))
  const lines = latest.map((facts) => callLine(dice, facts))
  await fillStream(context, 'cdrs', { count: calls, before: calls - latest.length }, lines)
  const random = createRandom(alerts + days)
  const all = [...alertedCalls, ...demoCalls(random, owners, size, alerts - alertedCalls.length)]
  await fillStream(
    context,
    'alerts',
    { count: alerts },
    all.map((call) => alertLine(random, call)),
  )
}

export const fillDemo = async (context: DemoContext, size: DemoSize, password: string): Promise<Demo> => {
  const { write } = context.services
  const service_provider_sid = await write('patchbay', (tx) =>
    createProvider(tx, { name: providerName, root_domain: providerDomain, ms_teams_fqdn: teamsDomain }),
  )
  const owners = await fillAccounts(context, service_provider_sid, size.accounts)
  const accounts = owners.map(({ account_sid }) => account_sid)
  const users = await fillUsers(context, service_provider_sid, accounts, password)
  await fillSettings(context, service_provider_sid, accounts[0], size.until)
  const carriers = await fillCarriers(context, service_provider_sid, accounts[0])
  const answerers: DemoAnswerer[] = []
  for (const [position, owner] of owners.entries())
    answerers.push(await fillTelephony(context, owner, carriers, position))
  await fillNumbers(context, answerers, carriers, size.numbers)
  await fillRouting(context, service_provider_sid, accounts, carriers)
  await fillSpeech(context, service_provider_sid, accounts[0], size.until)
  await fillAddresses(context)
  await fillRegistrations(context, size.until)
  await fillCalls(context, owners, size)
  return { service_provider_sid, accounts, users }
}
