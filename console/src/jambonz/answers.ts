import { ApiError } from '../api/api-error.ts'
import { type Answer, api, type CallOptions, type Input, type PatchbayKey, type Plain } from '../api/client.ts'
import { PartialFailure } from '../form/save-in-parts.ts'
import {
  gatewayCounts,
  listColumns,
  listSettings,
  newAlertsInAccount,
  newAlertsInProvider,
  seenAlerts,
  takenNames,
  tenantApplications,
} from './lists.ts'
import type { MissingKey } from './missing-endpoints.ts'
import { importNumbers, numbersWithNames, routeNumbers } from './phone-numbers.ts'
import { accountBlockers, applicationUses, carrierUses } from './used-by.ts'

/**
 * Answers the calls of Patchbay's endpoints on a server that does not have them, by the endpoints of jambonz. An endpoint
 * of the contract that has no answer here and is not listed as missing is a type error.
 */
const answers: { [K in Exclude<PatchbayKey, MissingKey>]: Answer<K> } = {
  'GET /patchbay/accounts/:account_sid/blockers': accountBlockers,
  'GET /patchbay/accounts/:account_sid/call-legs': async (...call) => (await import('./calls.ts')).callLegs(...call),
  'GET /patchbay/accounts/:account_sid/calls/:call_sid/conversation': async (...call) =>
    (await import('./calls.ts')).conversation(...call),
  'GET /patchbay/accounts/:account_sid/new-alerts': newAlertsInAccount,
  'GET /patchbay/accounts/taken': takenNames,
  'GET /patchbay/applications/:application_sid/used-by': applicationUses,
  'GET /patchbay/carriers/:voip_carrier_sid': async (...call) => (await import('./carriers.ts')).readCarrier(...call),
  'GET /patchbay/carriers/:voip_carrier_sid/used-by': carrierUses,
  'GET /patchbay/gateway-counts': gatewayCounts,
  'GET /patchbay/lcrs/:lcr_sid': async (...call) => (await import('./lcrs.ts')).readLcr(...call),
  'GET /patchbay/list-settings': listSettings,
  'GET /patchbay/ms-teams-tenants/applications': tenantApplications,
  'GET /patchbay/phone-numbers': numbersWithNames,
  'GET /patchbay/service-providers/:service_provider_sid/new-alerts': newAlertsInProvider,
  'POST /patchbay/carriers': async (...call) => (await import('./carriers.ts')).createCarrier(...call),
  'POST /patchbay/lcrs': async (...call) => (await import('./lcrs.ts')).createLcr(...call),
  'POST /patchbay/phone-numbers/import': importNumbers,
  'POST /patchbay/phone-numbers/routing': routeNumbers,
  'PUT /patchbay/Accounts/:account_sid/Limits': async (...call) =>
    (await import('./limits.ts')).changeAccountLimits(...call),
  'PUT /patchbay/ServiceProviders/:service_provider_sid/Limits': async (...call) =>
    (await import('./limits.ts')).changeProviderLimits(...call),
  'PUT /patchbay/accounts/:account_sid/seen-alerts': seenAlerts,
  'PUT /patchbay/carriers/:voip_carrier_sid': async (...call) => (await import('./carriers.ts')).changeCarrier(...call),
  'PUT /patchbay/lcrs/:lcr_sid': async (...call) => (await import('./lcrs.ts')).changeLcr(...call),
  'PUT /patchbay/list-columns': listColumns,
  'PUT /patchbay/service-providers/:service_provider_sid/seen-alerts': seenAlerts,
}

type AnswerAny = (input: Plain, options: CallOptions) => Promise<unknown>

/** @param updateKey an endpoint whose path is also that of the record, or that of the record below `/patchbay` */
const readRecord = (updateKey: string, { params }: Plain): Promise<object> => {
  const path = updateKey.replace(/^\w+ /, '')
  const ownKey = `GET ${path}`
  const recordKey = Object.hasOwn(answers, ownKey) ? ownKey : `GET ${path.replace(/^\/patchbay/, '')}`
  const key = recordKey as 'GET /Clients/:client_sid'
  // The cast is safe: the client has checked the parameters of the path, which is the same.
  return api(key, { params } as { params: { client_sid: string } })
}

/**
 * Reads a record again before its update, because this server cannot compare versions.
 * @throws ApiError with the current record if it differs from the one that the user has seen
 */
const requireUnchanged = async (updateKey: string, input: Plain, base: object): Promise<void> => {
  const record = await readRecord(updateKey, input)
  if (JSON.stringify(record) === JSON.stringify(base)) return
  throw new ApiError('rejected', 412, 'The record has been changed since this version was read', { answer: { record } })
}

/** Adds the current record to the error of an update that failed in part. */
const addRecord = async (error: unknown, updateKey: string, input: Plain): Promise<void> => {
  if (!(error instanceof PartialFailure)) return
  try {
    const record = await readRecord(updateKey, input)
    Object.assign(error, { answer: { ...error.answer, record } })
  } catch {
    // Then the next save finds out.
  }
}

/** Answers a call. A call of a missing endpoint fails without a request, like one of an unknown path. */
export const answer = async (key: string, input: Plain, { base, ...options }: CallOptions): Promise<unknown> => {
  if (base) {
    await requireUnchanged(key, input, base)
    try {
      return await api(key as 'PUT /Clients/:client_sid', input as Input<'PUT /Clients/:client_sid'>, options)
    } catch (error) {
      await addRecord(error, key, input)
      throw error
    }
  }
  // The cast is safe: the client checks the input of each key.
  const answered = Object.hasOwn(answers, key) ? (answers[key as keyof typeof answers] as AnswerAny) : undefined
  if (answered === undefined) throw new ApiError('rejected', 404, 'This server does not have this feature')
  return answered(input, options)
}
