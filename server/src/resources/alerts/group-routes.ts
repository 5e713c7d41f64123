import type { AlertGroupPage, alertGroupEndpoints, alertGroupQuery } from '@patchbay/contract/alert-groups'
import type { Actor } from '@patchbay/contract/api/access'
import { type Period, toPeriodBounds } from '@patchbay/contract/lists/page-query'
import { maxGroupedDays } from '@patchbay/contract/shared/alert-objects'
import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import { toAlertObject } from '@patchbay/rules/alerts/alert-objects'
import type { z } from 'zod'
import { findCovering, findFurthest } from '../../call-data/alerts/acknowledgments.ts'
import { createGroupKey } from '../../call-data/alerts/alert-group-keys.ts'
import { readInstant, split } from '../../call-data/calls/nanosecond-timestamps.ts'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok } from '../../http/responses.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import { acknowledge, resolveGroup, withdrawAcknowledgment } from './acknowledgments-store.ts'

type Query = z.output<typeof alertGroupQuery>

const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Returns the requested period, limited to its last `maxGroupedDays` days. */
const limitPeriod = (query: Period): { from: number; until?: number } => {
  const { after, from, until } = toPeriodBounds(query)
  const limit = Math.min(until ?? Infinity, Date.now()) - maxGroupedDays * dayMs
  // A start that changes once per hour, so that repeated requests have the same response.
  const earliest = limit - (limit % hourMs)
  const start = after === undefined ? from : after + 1
  return { from: Math.max(start ?? earliest, earliest), ...(until === undefined ? {} : { until }) }
}

export const alertGroupRoutes = ({
  alertGroups,
  database,
  write,
}: Services): Handlers<keyof typeof alertGroupEndpoints> => {
  const page = async (
    owner: CallOwner,
    { query, actor, signal }: { query: Query; actor: Actor; signal: AbortSignal },
  ) => {
    const period = limitPeriod(query)
    const search = {
      owner,
      ...period,
      ...(query.alert_type ? { alert_type: query.alert_type } : {}),
      hidesAcknowledged: query.acknowledged === 'hide',
      page: Number(query.page),
      pageSize: Number(query.count),
    }
    const result = await alertGroups.search(search, { owner: fairnessKey(actor), signal })
    const acknowledgments = await findFurthest(
      database,
      result.groups.map(({ key }) => key),
    )
    const body: AlertGroupPage = {
      total: result.total,
      page: query.page,
      page_size: query.count,
      start: toIso(period.from),
      alert_count: result.alertCount,
      open_count: result.openCount,
      grouped_count: result.groupedCount,
      data: result.groups.map(({ key, count, openCount, firstAt, lastAt, newest }) => ({
        alert_type: newest.alert_type,
        account_sid: newest.account_sid,
        service_provider_sid: newest.service_provider_sid,
        ...toAlertObject(newest),
        count,
        open_count: openCount,
        first_at: toIso(firstAt),
        last_at: toIso(lastAt),
        newest,
        acknowledgment: acknowledgments.get(key) ?? null,
      })),
    }
    return ok(body)
  }
  const count = async (
    owner: CallOwner,
    { query, actor, signal }: { query: { start?: string | undefined }; actor: Actor; signal: AbortSignal },
  ) =>
    ok({
      open_count: await alertGroups.countOpen({ owner, ...limitPeriod(query) }, { owner: fairnessKey(actor), signal }),
    })
  return {
    'GET /patchbay/accounts/:account_sid/alert-groups': (context) =>
      page({ account_sid: context.params.account_sid }, context),

    'GET /patchbay/service-providers/:service_provider_sid/alert-groups': (context) =>
      page({ service_provider_sid: context.params.service_provider_sid }, context),

    'GET /patchbay/accounts/:account_sid/open-alerts': (context) =>
      count({ account_sid: context.params.account_sid }, context),

    'GET /patchbay/service-providers/:service_provider_sid/open-alerts': (context) =>
      count({ service_provider_sid: context.params.service_provider_sid }, context),

    'GET /patchbay/alert-acknowledgments': async ({ actor, query }) => {
      const group = await resolveGroup(database.reader, actor, query)
      const acknowledgment = await findCovering(database, createGroupKey(group), split(readInstant(query.time)))
      return ok({ acknowledgment: acknowledgment ?? null })
    },

    'POST /patchbay/alert-acknowledgments': ({ actor, body }) =>
      createdSid(write(actor, (tx) => acknowledge(tx, actor, body))),

    'DELETE /patchbay/alert-acknowledgments/:alert_acknowledgment_sid': ({ actor, params }) =>
      write(actor, (tx) => withdrawAcknowledgment(tx, params.alert_acknowledgment_sid)),
  }
}
