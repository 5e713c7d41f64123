import type { Actor } from '@patchbay/contract/api/access'
import type { RegistrationHealth } from '@patchbay/contract/carrier-health'
import type { AttentionRecord } from '@patchbay/contract/overview'
import {
  type ListedAttention,
  maxAttentionCount,
  type SelectedAttention,
} from '@patchbay/contract/shared/attention-kinds'
import { dayMs } from '@patchbay/contract/shared/durations'
import { maskToken } from '@patchbay/rules/masking/masking'
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { Captures } from '../../call-data/captures/captures.ts'
import { type Database, sqlTime } from '../../database/engine.ts'
import { platformTables } from '../../database/platform-schema.ts'
import type { Tables } from '../../database/tables.ts'
import { isOwnedBy, selectOwnedAccounts } from './owned-rows.ts'
import { createRegistrationReader, type RegistrationReader } from './registration-health.ts'

/**
 * Finds the records that need attention, for the overview, which counts them, and for the lists, which show them. Each
 * query stops at `maxAttentionCount` rows.
 */

export interface ProblemSources {
  database: Database
  readRegistrations: RegistrationReader
}

export const noDetails = { account_sid: null, detail: null, expires_at: null, used: null, quantity: null }

/**
 * Active carriers whose registration failed or has expired, and those whose registration was never reported, which may be
 * registered. The detail is the reason of the last failure.
 */
const findUnregisteredCarriers = async (
  { database, readRegistrations }: ProblemSources,
  owner: CallOwner,
  now: number,
): Promise<Record<'carrier_unregistered' | 'registration_unreported', AttentionRecord[]>> => {
  const carriers = await database.reader
    .selectFrom('voip_carriers')
    .select(['voip_carrier_sid', 'name', 'account_sid', 'register_status'])
    .where(isOwnedBy(database, owner))
    .where('requires_register', '=', 1)
    .where('is_active', '=', 1)
    .limit(maxAttentionCount)
    .execute()
  const registrations = await readRegistrations(carriers, now)
  const inState = (...states: RegistrationHealth['state'][]) =>
    carriers.flatMap(({ voip_carrier_sid: sid, name, account_sid }) => {
      const registration = registrations.get(sid)
      if (registration === undefined || !states.includes(registration.state)) return []
      const { state, reason, expires_at } = registration
      const details = state === 'stale' ? { expires_at } : { detail: reason }
      return [{ ...noDetails, sid, name, account_sid, ...details }]
    })
  return { carrier_unregistered: inState('failing', 'stale'), registration_unreported: inState('unknown') }
}

/** Speech services whose last test of a use that they serve failed. The detail is the vendor. */
const findFailedSpeechTests = async (database: Database, owner: CallOwner): Promise<AttentionRecord[]> => {
  const services = await database.reader
    .selectFrom('speech_credentials')
    .select(['speech_credential_sid', 'vendor', 'label', 'account_sid'])
    .where(isOwnedBy(database, owner))
    .where((where) =>
      where.or([
        where.and([where('use_for_tts', '=', 1), where('tts_tested_ok', '=', 0)]),
        where.and([where('use_for_stt', '=', 1), where('stt_tested_ok', '=', 0)]),
      ]),
    )
    .limit(maxAttentionCount)
    .execute()
  return services.map(({ speech_credential_sid: sid, vendor, label, account_sid }) => ({
    ...noDetails,
    sid,
    name: label || vendor,
    account_sid,
    detail: vendor,
  }))
}

/** The columns that say which speech vendor an application uses, by the use that its service must serve. */
const speechUses = [
  ['use_for_tts', 'speech_synthesis_vendor', 'speech_synthesis_label'],
  ['use_for_stt', 'speech_recognizer_vendor', 'speech_recognizer_label'],
] as const

type Where = ExpressionBuilder<Tables, 'applications' | 'accounts'>

/** Matches if neither the account of an application nor its provider has the service that the application uses. */
const isServiceMissing = (where: Where, [use, vendor, label]: (typeof speechUses)[number]) =>
  where.not(
    where.exists(
      where
        .selectFrom('speech_credentials as service')
        .select('service.vendor')
        .where((service) =>
          service.or([
            service('service.account_sid', '=', service.ref('applications.account_sid')),
            service.and([
              service('service.account_sid', 'is', null),
              service('service.service_provider_sid', '=', service.ref('accounts.service_provider_sid')),
            ]),
          ]),
        )
        .whereRef('service.vendor', '=', `applications.${vendor}`)
        .where(
          ({ fn, val }) => fn.coalesce('service.label', val('')),
          '=',
          ({ fn, val }) => fn.coalesce(`applications.${label}`, val('')),
        )
        .where(`service.${use}`, '=', 1),
    ),
  )

const speechColumns = [
  'speech_synthesis_vendor',
  'speech_synthesis_language',
  'speech_synthesis_voice',
  'speech_synthesis_label',
  'speech_recognizer_vendor',
  'speech_recognizer_language',
  'speech_recognizer_label',
] as const

/**
 * Matches if all speech settings of an application are the defaults of their columns, or null. They can be those of an
 * application that was created without any, so they do not show that it uses speech.
 */
const hasDefaultSpeech = (where: Where) =>
  where.and(
    speechColumns.map((name) => {
      const value = platformTables.applications.columns[name].default
      const column = `applications.${name}` as const
      const isNull = where(column, 'is', null)
      return value === undefined ? isNull : where.or([isNull, where(column, '=', String(value))])
    }),
  )

/** Applications that use a speech vendor that their account lacks. The detail is the vendor, or both vendors. */
const findMissingSpeech = async (database: Database, owner: CallOwner): Promise<AttentionRecord[]> => {
  const missing = speechUses.map((use) =>
    database.reader
      .selectFrom('applications')
      .innerJoin('accounts', 'accounts.account_sid', 'applications.account_sid')
      .select(['applications.application_sid as sid', 'applications.name', 'applications.account_sid'])
      .select(`applications.${use[1]} as vendor`)
      .where('applications.account_sid', 'in', selectOwnedAccounts(database, owner))
      .where((where) => where.and([isServiceMissing(where, use), where.not(hasDefaultSpeech(where))]))
      .limit(maxAttentionCount)
      .execute(),
  )
  const records = new Map<string, AttentionRecord>()
  for (const { sid, name, account_sid, vendor } of (await Promise.all(missing)).flat()) {
    const other = records.get(sid)?.detail
    const detail = other && other !== vendor ? `${other}, ${vendor}` : vendor
    records.set(sid, { ...noDetails, sid, name, account_sid, detail })
  }
  return [...records.values()]
}

/** Matches numbers whose calls start no application: neither theirs, nor the default one of their carrier. */
export const startsNoApplication = sql<SqlBool>`phone_numbers.application_sid IS NULL AND NOT EXISTS (
  SELECT 1 FROM voip_carriers AS carrier
  WHERE carrier.voip_carrier_sid = phone_numbers.voip_carrier_sid AND carrier.application_sid IS NOT NULL)`

const findNumbersWithoutApplication = async (database: Database, owner: CallOwner): Promise<AttentionRecord[]> => {
  const numbers = await database.reader
    .selectFrom('phone_numbers')
    .select(['phone_number_sid', 'number', 'account_sid'])
    .where('account_sid', 'in', selectOwnedAccounts(database, owner))
    .where(startsNoApplication)
    .limit(maxAttentionCount)
    .execute()
  return numbers.map(({ phone_number_sid: sid, number: name, account_sid }) => ({
    ...noDetails,
    sid,
    name,
    account_sid,
  }))
}

const expiryNoticeMs = 30 * dayMs

/** Matches API keys that expire within 30 days. */
export const expiresSoon = ({ engine }: Pick<Database, 'engine'>, now: number): Expression<SqlBool> =>
  sql<SqlBool>`api_keys.expires_at > ${sqlTime(engine, new Date(now))}
    AND api_keys.expires_at < ${sqlTime(engine, new Date(now + expiryNoticeMs))}`

/** API keys that expire within 30 days. The name of a key without one is the masked token. */
const findExpiringKeys = async (database: Database, owner: CallOwner, now: number): Promise<AttentionRecord[]> => {
  const keys = await database.reader
    .selectFrom('api_keys')
    .select(['api_key_sid as sid', 'token', 'account_sid', 'expires_at'])
    .select((select) =>
      select
        .selectFrom('patchbay_api_key_names as names')
        .select('names.name')
        .whereRef('names.api_key_sid', '=', 'api_keys.api_key_sid')
        .as('name'),
    )
    .where(isOwnedBy(database, owner))
    .where(expiresSoon(database, now))
    .limit(maxAttentionCount)
    .execute()
  return keys.map(({ sid, name, token, account_sid, expires_at }) => ({
    ...noDetails,
    sid,
    name: name ?? maskToken(token),
    account_sid,
    expires_at,
  }))
}

/**
 * Returns the problems that the database knows of.
 * @param now milliseconds since the Unix epoch
 */
export const findStoredProblems = async (
  sources: ProblemSources,
  owner: CallOwner,
  now: number,
): Promise<Record<ListedAttention, AttentionRecord[]>> => {
  const { database } = sources
  const [registrations, speech_test_failed, speech_missing, number_without_application, api_key_expiring] =
    await Promise.all([
      findUnregisteredCarriers(sources, owner, now),
      findFailedSpeechTests(database, owner),
      findMissingSpeech(database, owner),
      findNumbersWithoutApplication(database, owner),
      findExpiringKeys(database, owner, now),
    ])
  return { ...registrations, speech_test_failed, speech_missing, number_without_application, api_key_expiring }
}

/** Creates a reader for the SIDs of the records that have a problem, which the lists show for the caller. */
export const createProblemReader = ({ database, captures }: { database: Database; captures: Captures }) => {
  const sources = { database, readRegistrations: createRegistrationReader(captures) }
  const finders: Readonly<Record<SelectedAttention, (owner: CallOwner) => Promise<AttentionRecord[]>>> = {
    carrier_unregistered: async (owner) =>
      (await findUnregisteredCarriers(sources, owner, Date.now())).carrier_unregistered,
    registration_unreported: async (owner) =>
      (await findUnregisteredCarriers(sources, owner, Date.now())).registration_unreported,
    speech_test_failed: (owner) => findFailedSpeechTests(database, owner),
    speech_missing: (owner) => findMissingSpeech(database, owner),
  }
  return async (kind: SelectedAttention, actor: Actor, provider: string): Promise<string[]> => {
    const owner =
      actor.scope === 'account'
        ? { account_sid: actor.account_sid ?? '' }
        : { service_provider_sid: actor.scope === 'admin' ? provider : (actor.service_provider_sid ?? '') }
    return (await finders[kind](owner)).flatMap(({ sid }) => sid ?? [])
  }
}
