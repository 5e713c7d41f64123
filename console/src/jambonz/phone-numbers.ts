import type { ImportContext } from '@patchbay/rules/phone-number/import'
import type { RowPlan } from '@patchbay/rules/phone-number/import-rows'
import { failureReason, retryWhenBusy } from '../api/batches.ts'
import { type Answer, api } from '../api/client.ts'
import { pageIn } from '../api/list-page.ts'
import { queryClient } from '../api/query-client.ts'
import { accountQuery } from '../api/record-queries.ts'
import { accountsQuery } from '../api/shared-queries.ts'
import { likelyProvider } from '../lazy/prefetch.ts'
import { requiredSession } from '../session/session.ts'
import { mapWithConcurrency } from './map-with-concurrency.ts'

/** Phone numbers with names, and changes of many, which jambonz changes one by one. */

const namesStaleTimeMs = 60_000
const firstPage = { page: '1', page_size: '100' }

interface Names {
  carriers: ReadonlyMap<string, string>
  accounts: ReadonlyMap<string, string>
  applications: ReadonlyMap<string, string>
}

const readNames = async (service_provider_sid: string): Promise<Names> => {
  const own = requiredSession().actor.account_sid
  const [accounts, carriers, applications] = await Promise.all([
    own === null
      ? queryClient.fetchQuery({ ...accountsQuery(service_provider_sid), staleTime: namesStaleTimeMs })
      : queryClient.fetchQuery({ ...accountQuery(own), staleTime: namesStaleTimeMs }).then((account) => [account]),
    api('GET /ServiceProviders/:service_provider_sid/VoipCarriers', {
      params: { service_provider_sid },
      query: firstPage,
    }),
    api('GET /Applications', { query: firstPage }),
  ])
  return {
    accounts: new Map(accounts.map(({ account_sid, name }) => [account_sid, name])),
    carriers: new Map(pageIn(carriers).data.map(({ voip_carrier_sid, name }) => [voip_carrier_sid, name])),
    applications: new Map(pageIn(applications).data.map(({ application_sid, name }) => [application_sid, name])),
  }
}

/** A number has no name of a record that is not on the first page of its list. The screens then show its SID. */
export const numbersWithNames: Answer<'GET /patchbay/phone-numbers'> = async ({ query }, options) => {
  const service_provider_sid = query.service_provider_sid ?? (await likelyProvider())
  const [answer, names] = await Promise.all([
    api('GET /PhoneNumbers', { query }, options),
    queryClient.fetchQuery({
      queryKey: ['names-of-numbers', service_provider_sid],
      queryFn: () => readNames(service_provider_sid),
      staleTime: namesStaleTimeMs,
    }),
  ])
  const { total, data } = pageIn(answer)
  const named = data.map((number) => ({
    ...number,
    carrier_name: names.carriers.get(number.voip_carrier_sid ?? '') ?? null,
    account_name: names.accounts.get(number.account_sid ?? '') ?? null,
    application_name: names.applications.get(number.application_sid ?? '') ?? null,
  }))
  return { total, page: Number(query.page ?? 1), page_size: Number(query.page_size ?? total), data: named }
}

/** Changes each number with a request of its own. Does not know which applications they had, so nothing can be undone. */
export const routeNumbers: Answer<'POST /patchbay/phone-numbers/routing'> = async (
  { body: { application_sid, phone_number_sids } },
  { onProgress },
) => {
  const failed = await mapWithConcurrency(
    phone_number_sids,
    async (phone_number_sid) => {
      try {
        await retryWhenBusy(() =>
          api('PUT /PhoneNumbers/:phone_number_sid', { params: { phone_number_sid }, body: { application_sid } }),
        )
        return []
      } catch (error) {
        return [{ phone_number_sid, number: null, why: failureReason(error) }]
      }
    },
    onProgress,
  )
  return { changed: [], failed: failed.flat() }
}

/** Page size for reading all numbers. Every server supports it. */
const numbersPageSize = 2000

/** Reads all pages of a list. */
const readAllPages = async <Row>(
  read: (query: {
    page: string
    page_size: string
  }) => Promise<readonly Row[] | { total: number; data: readonly Row[] }>,
  size = 500,
): Promise<Row[]> => {
  const rows: Row[] = []
  for (let page = 1; ; page += 1) {
    const answer = await read({ page: String(page), page_size: String(size) })
    const { data } = pageIn(answer)
    rows.push(...data)
    if (!('total' in answer) || data.length < size) return rows
  }
}

/** Reads everything that the rows of a file can name. */
const readImportContext = async (service_provider_sid: string): Promise<ImportContext> => {
  const ownAccount = requiredSession().actor.account_sid
  const params = { service_provider_sid }
  const accounts = await queryClient.fetchQuery(accountsQuery(service_provider_sid))
  const sids = new Set(accounts.map(({ account_sid }) => account_sid))
  const carriers = await readAllPages((query) =>
    api('GET /ServiceProviders/:service_provider_sid/VoipCarriers', { params, query }),
  )
  const applications = await readAllPages((query) => api('GET /Applications', { query }))
  const numbers = await readAllPages(
    (query) => api('GET /PhoneNumbers', { query: { ...query, service_provider_sid } }),
    numbersPageSize,
  )
  return {
    ownAccount,
    accounts: accounts.map(({ account_sid, name }) => ({ sid: account_sid, name })),
    carriers: carriers.map(({ voip_carrier_sid, name, account_sid }) => ({ sid: voip_carrier_sid, name, account_sid })),
    applications: applications
      .filter(({ account_sid }) => account_sid !== null && sids.has(account_sid))
      .map(({ application_sid, name, account_sid }) => ({ sid: application_sid, name, account_sid })),
    // A number that was added in the meantime moves another one to the next page.
    numbers: [...new Map(numbers.map((number) => [number.phone_number_sid, { ...number, isOwn: true }])).values()],
  }
}

/** Applies the plan of a row with a request of its own. Returns the plan, or why it failed. */
const applyPlan = async (plan: RowPlan): Promise<RowPlan> => {
  if (plan.is === 'wrong') return plan
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
    return plan
  } catch (error) {
    return { is: 'wrong', column: 'number', why: failureReason(error) }
  }
}

/** A file has many batches of rows, which share what the first one has read. */
const contextStaleTimeMs = 10_000

/** Plans the rows as Patchbay's server does, and imports them one by one. */
export const importNumbers: Answer<'POST /patchbay/phone-numbers/import'> = async ({ body }, { onProgress }) => {
  const service_provider_sid = body.service_provider_sid ?? (await likelyProvider())
  const context = {
    queryKey: ['import-of-numbers', service_provider_sid],
    queryFn: () => readImportContext(service_provider_sid),
    staleTime: contextStaleTimeMs,
  }
  const [{ planImport }, stored] = await Promise.all([
    import('@patchbay/rules/phone-number/import'),
    queryClient.fetchQuery(context),
  ])
  const plans = planImport(body.rows, stored)
  if (body.dry_run) return { rows: plans }
  const rows = await mapWithConcurrency(plans, applyPlan, onProgress)
  queryClient.removeQueries(context)
  return { rows }
}
