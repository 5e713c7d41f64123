import type { Actor } from '@patchbay/contract/api/access'
import { toPeriodBounds } from '@patchbay/contract/lists/page-query'
import {
  type Call,
  callColumns,
  type callQuery,
  type callTableQuery,
  type recentCallEndpoints,
} from '@patchbay/contract/recent-calls'
import { type SelectedResult, selectedResults } from '@patchbay/contract/shared/call-results'
import { csvLine, csvMark } from '@patchbay/rules/phone-number/csv'
import type { z } from 'zod'
import { type CallFilter, type CallSearch, parseNumberPart } from '../../call-data/calls/calls.ts'
import { findLegs } from '../../call-data/calls/legs.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import { createTextExports } from '../shared/text-exports.ts'

type Query = z.output<typeof callQuery>

const toAnsweredFilter = (answered: string | undefined): Pick<CallSearch, 'answered'> =>
  answered === 'true' || answered === 'false' ? { answered: answered === 'true' } : {}

const toResultFilter = (text: string | undefined): { result?: SelectedResult } => {
  const result = selectedResults.find((one) => one === text)
  return result === undefined ? {} : { result }
}

const isSeconds = (text: string | undefined): boolean => /^(0|[1-9]\d{0,4})$/.test(text ?? '')

const toFilter = (owner: CallSearch['owner'], query: Omit<Query, 'page' | 'count'>): CallFilter => ({
  owner,
  ...toPeriodBounds(query),
  ...toAnsweredFilter(query.answered),
  ...toResultFilter(query.result),
  ...(query.trunk ? { trunk: query.trunk } : {}),
  ...(query.direction ? { direction: query.direction } : {}),
  ...(query.filter ? { text: query.filter } : {}),
  ...(/^(0|[1-9]\d{2})$/.test(query.sip_status ?? '') ? { sip_status: Number(query.sip_status) } : {}),
  // Every call has at least 0 seconds.
  ...(isSeconds(query.min_duration) && query.min_duration !== '0' ? { min_duration: Number(query.min_duration) } : {}),
  ...(isSeconds(query.max_duration) ? { max_duration: Number(query.max_duration) } : {}),
  ...(query.application_sid ? { application_sid: query.application_sid } : {}),
  ...(query.number?.trim() ? { number: parseNumberPart(query.number) } : {}),
})

const toSearch = (owner: CallSearch['owner'], query: Query): CallSearch => ({
  ...toFilter(owner, query),
  page: Number(query.page),
  pageSize: Number(query.count),
})

/**
 * Yields the lines of a CSV table. The header is sent together with the first calls, so that a failed read still
 * results in an error response.
 */
const formatCsv = async function* (pages: AsyncIterable<readonly Call[]>) {
  let header = csvMark + csvLine(callColumns)
  for await (const page of pages) {
    yield header + page.map((call) => csvLine(callColumns.map((column) => call[column]))).join('')
    header = ''
  }
  if (header !== '') yield header
}

export const recentCallRoutes = ({ calls }: Services): Handlers<keyof typeof recentCallEndpoints> => {
  const exportText = createTextExports()
  const page = async (
    owner: CallSearch['owner'],
    { query, actor, signal }: { query: Query; actor: Actor; signal: AbortSignal },
  ) => {
    const result = await calls.search(toSearch(owner, query), { owner: fairnessKey(actor), signal })
    return ok({ total: result.total, page_size: query.count, page: query.page, data: result.calls })
  }
  const exportCsv = (
    owner: CallSearch['owner'],
    { query, actor }: { query: z.output<typeof callTableQuery>; actor: Actor },
  ) => {
    const tenant = fairnessKey(actor)
    return exportText(tenant, { type: 'text/csv; charset=utf-8', name: 'recent-calls.csv' }, (signal) =>
      formatCsv(calls.walk(toFilter(owner, query), { owner: tenant, signal, isAdmitted: true })),
    )
  }
  return {
    'GET /patchbay/accounts/:account_sid/call-legs': async ({ params: { account_sid }, query: { sip_callid } }) =>
      ok(await findLegs(calls, { account_sid }, sip_callid)),

    'GET /patchbay/accounts/:account_sid/recent-calls.csv': async (context) =>
      exportCsv({ account_sid: context.params.account_sid }, context),

    'GET /patchbay/service-providers/:service_provider_sid/recent-calls.csv': async (context) =>
      exportCsv({ service_provider_sid: context.params.service_provider_sid }, context),

    'GET /Accounts/:account_sid/RecentCalls': (context) => page({ account_sid: context.params.account_sid }, context),

    'GET /ServiceProviders/:service_provider_sid/RecentCalls': (context) =>
      page({ service_provider_sid: context.params.service_provider_sid }, context),
  }
}
