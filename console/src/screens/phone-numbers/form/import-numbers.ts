import type { ImportContext, RowPlan } from '@patchbay/contract/phone-number/import'
import { planImport, rejectRepeats } from '@patchbay/contract/phone-number/import'
import { api } from '../../../api/client.ts'
import { ApiError, errorMessage } from '../../../api/api-error.ts'
import { pageIn } from '../../../api/list-page.ts'
import { accountsQuery } from '../../../api/queries.ts'
import { queryClient } from '../../../api/query-client.ts'
import { requiredSession } from '../../../session/session.ts'
import { mapWithConcurrency, retryWhenBusy } from './map-with-concurrency.ts'
import { allNumbers, takesMany } from '../queries.ts'
import { toBatches } from './size-batches.ts'
import type { FileRow } from './file-rows.ts'

/** Checks the rows of a file and brings them in: many at a time, or on the wire alone each by itself. */

type Told = (done: number) => void

const send = async (service_provider_sid: string, dry_run: boolean, rows: readonly FileRow[]): Promise<RowPlan[]> => {
  const body = { service_provider_sid, dry_run, rows: [...rows] }
  return (await retryWhenBusy(() => api('POST /patchbay/phone-numbers/import', { body }))).rows
}

/** What the wire's lists hold, read page by page. */
const wholeList = async <Row>(
  read: (query: {
    page: string
    page_size: string
  }) => Promise<readonly Row[] | { total: number; data: readonly Row[] }>,
): Promise<Row[]> => {
  const size = 500
  const found: Row[] = []
  for (let page = 1; ; page += 1) {
    const answer = await read({ page: String(page), page_size: String(size) })
    const { data } = pageIn(answer)
    found.push(...data)
    if (!('total' in answer) || data.length < size) return found
  }
}

const knownOnWire = async (service_provider_sid: string, told: Told): Promise<ImportContext> => {
  const ownAccount = requiredSession().actor.account_sid
  const params = { service_provider_sid }
  const accounts = await queryClient.fetchQuery(accountsQuery(service_provider_sid))
  const sids = new Set(accounts.map(({ account_sid }) => account_sid))
  const carriers = await wholeList((query) =>
    api('GET /ServiceProviders/:service_provider_sid/VoipCarriers', { params, query }),
  )
  const applications = await wholeList((query) => api('GET /Applications', { query }))
  const query = { service_provider_sid, account_sid: undefined, filter: undefined }
  const numbers = await allNumbers(query, told)
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

/** What would become of each row. */
export const checkRows = async (
  service_provider_sid: string,
  rows: readonly FileRow[],
  told: Told,
): Promise<RowPlan[]> => {
  if (!takesMany()) return planImport(rows, await knownOnWire(service_provider_sid, told))
  const plans: RowPlan[] = []
  for (const batch of toBatches(rows)) {
    plans.push(...(await send(service_provider_sid, true, batch)))
    told(plans.length)
  }
  return rejectRepeats(rows, plans)
}

/** A row that is to be brought in, and what was said of it. */
export interface Chosen {
  row: FileRow
  plan: Exclude<RowPlan, { is: 'wrong' }>
}

/** undefined: it is done */
export type Outcome = string | undefined

const whyNot = (error: unknown): string => {
  const ends = error instanceof ApiError && (error.kind === 'session-ended' || error.kind === 'unreachable')
  if (ends) throw error
  return errorMessage(error)
}

/** By SID, so that it is just what was checked. */
const asPlanned = ({ row: { line }, plan }: Chosen): FileRow => ({
  line,
  number: plan.number,
  carrier: plan.voip_carrier_sid ?? undefined,
  account: plan.account_sid,
  application: plan.application_sid ?? '',
})

const importBatches = async (service_provider_sid: string, chosen: readonly Chosen[], told: Told) => {
  const outcomes: Outcome[] = []
  for (const batch of toBatches(chosen.map(asPlanned))) {
    try {
      const plans = await send(service_provider_sid, false, batch)
      outcomes.push(...plans.map((plan) => (plan.is === 'wrong' ? plan.why : undefined)))
    } catch (error) {
      const why = whyNot(error)
      outcomes.push(...batch.map(() => why))
    }
    told(outcomes.length)
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
    return whyNot(error)
  }
}

/** Brings rows in; what became of each, in their order. */
export const importRows = (service_provider_sid: string, chosen: readonly Chosen[], told: Told): Promise<Outcome[]> =>
  takesMany() ? importBatches(service_provider_sid, chosen, told) : mapWithConcurrency(chosen, importOne, told)
