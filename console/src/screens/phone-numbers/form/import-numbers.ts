import type { ImportContext, RowPlan } from '@patchbay/contract/phone-number/import'
import { planImport, rejectRepeats } from '@patchbay/contract/phone-number/import'
import { api } from '../../../api/client.ts'
import { ApiError, errorMessage } from '../../../api/api-error.ts'
import { pageIn } from '../../../api/list-page.ts'
import { accountsQuery } from '../../../api/queries.ts'
import { queryClient } from '../../../api/query-client.ts'
import { requiredSession } from '../../../session/session.ts'
import { mapWithConcurrency, retryWhenBusy } from './map-with-concurrency.ts'
import { allNumbers, hasBulkEndpoints } from '../queries.ts'
import { toBatches } from './size-batches.ts'
import type { FileRow } from './file-rows.ts'

/**
 * Checks and imports the rows of a file: in batches, or one by one on a server without the `many-phone-numbers`
 * extension.
 */

type OnProgress = (done: number) => void

const send = async (service_provider_sid: string, dry_run: boolean, rows: readonly FileRow[]): Promise<RowPlan[]> => {
  const body = { service_provider_sid, dry_run, rows: [...rows] }
  return (await retryWhenBusy(() => api('POST /patchbay/phone-numbers/import', { body }))).rows
}

/** Reads all pages of a list. */
const readAllPages = async <Row>(
  read: (query: {
    page: string
    page_size: string
  }) => Promise<readonly Row[] | { total: number; data: readonly Row[] }>,
): Promise<Row[]> => {
  const size = 500
  const rows: Row[] = []
  for (let page = 1; ; page += 1) {
    const answer = await read({ page: String(page), page_size: String(size) })
    const { data } = pageIn(answer)
    rows.push(...data)
    if (!('total' in answer) || data.length < size) return rows
  }
}

const readImportContext = async (service_provider_sid: string, onProgress: OnProgress): Promise<ImportContext> => {
  const ownAccount = requiredSession().actor.account_sid
  const params = { service_provider_sid }
  const accounts = await queryClient.fetchQuery(accountsQuery(service_provider_sid))
  const sids = new Set(accounts.map(({ account_sid }) => account_sid))
  const carriers = await readAllPages((query) =>
    api('GET /ServiceProviders/:service_provider_sid/VoipCarriers', { params, query }),
  )
  const applications = await readAllPages((query) => api('GET /Applications', { query }))
  const query = { service_provider_sid, account_sid: undefined, filter: undefined }
  const numbers = await allNumbers(query, onProgress)
  return {
    ownAccount,
    accounts: accounts.map(({ account_sid, name }) => ({ sid: account_sid, name })),
    carriers: carriers.map(({ voip_carrier_sid, name, account_sid }) => ({ sid: voip_carrier_sid, name, account_sid })),
    applications: applications
      .filter(({ account_sid }) => account_sid !== null && sids.has(account_sid))
      .map(({ application_sid, name, account_sid }) => ({ sid: application_sid, name, account_sid })),
    numbers: numbers.map((number) => ({ ...number, isOwn: true })),
  }
}

/** Returns a plan for each well-formed row. */
const planRows = async (
  service_provider_sid: string,
  rows: readonly FileRow[],
  onProgress: OnProgress,
): Promise<RowPlan[]> => {
  if (!hasBulkEndpoints()) return planImport(rows, await readImportContext(service_provider_sid, onProgress))
  const plans: RowPlan[] = []
  for (const batch of toBatches(rows)) {
    plans.push(...(await send(service_provider_sid, true, batch)))
    onProgress(plans.length)
  }
  return rejectRepeats(rows, plans)
}

/** Returns a plan for each row, without changing anything. Malformed rows are rejected without asking the server. */
export const checkRows = async (
  service_provider_sid: string,
  rows: readonly FileRow[],
  onProgress: OnProgress,
): Promise<RowPlan[]> => {
  const wellFormed = rows.filter(({ error }) => error === undefined)
  const plans = (await planRows(service_provider_sid, wellFormed, onProgress)).values()
  return rows.map(({ error }) =>
    error === undefined ? (plans.next().value as RowPlan) : { is: 'wrong', column: 'number', why: error },
  )
}

/** A selected row and its plan. */
export interface Chosen {
  row: FileRow
  plan: Exclude<RowPlan, { is: 'wrong' }>
}

/** Undefined if the import succeeded, otherwise the reason why it failed. */
export type Outcome = string | undefined

const toFailureReason = (error: unknown): string => {
  const ends = error instanceof ApiError && (error.kind === 'session-ended' || error.kind === 'unreachable')
  if (ends) throw error
  return errorMessage(error)
}

/** Sends SIDs instead of names, so that the import does exactly what the check has planned. */
const toPlannedRow = ({ row: { line }, plan }: Chosen): FileRow => ({
  line,
  number: plan.number,
  carrier: plan.voip_carrier_sid ?? undefined,
  account: plan.account_sid,
  application: plan.application_sid ?? '',
  // Only rows that the user has selected are imported, which confirms a pattern.
  ...(plan.is === 'new' && plan.is_pattern ? { is_pattern: true } : {}),
})

const importBatches = async (service_provider_sid: string, chosen: readonly Chosen[], onProgress: OnProgress) => {
  const outcomes: Outcome[] = []
  for (const batch of toBatches(chosen.map(toPlannedRow))) {
    try {
      const plans = await send(service_provider_sid, false, batch)
      outcomes.push(...plans.map((plan) => (plan.is === 'wrong' ? plan.why : undefined)))
    } catch (error) {
      const why = toFailureReason(error)
      outcomes.push(...batch.map(() => why))
    }
    onProgress(outcomes.length)
  }
  return outcomes
}

const importOne = async ({ plan }: Chosen): Promise<Outcome> => {
  const { number, voip_carrier_sid, account_sid, application_sid } = plan
  try {
    if (plan.is === 'new')
      await retryWhenBusy(() =>
        api('POST /PhoneNumbers', { body: { number, voip_carrier_sid, account_sid, application_sid } }),
      )
    else {
      const params = { phone_number_sid: plan.phone_number_sid }
      await retryWhenBusy(() =>
        api('PUT /PhoneNumbers/:phone_number_sid', { params, body: { account_sid, application_sid } }),
      )
    }
    return undefined
  } catch (error) {
    return toFailureReason(error)
  }
}

/** Imports the rows and returns their outcomes in the same order. */
export const importRows = (
  service_provider_sid: string,
  chosen: readonly Chosen[],
  onProgress: OnProgress,
): Promise<Outcome[]> =>
  hasBulkEndpoints()
    ? importBatches(service_provider_sid, chosen, onProgress)
    : mapWithConcurrency(chosen, importOne, onProgress)
