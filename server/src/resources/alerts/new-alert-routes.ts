import type { NewAlertPage, newAlertEndpoints } from '@patchbay/contract/new-alerts'
import { newAlertDays } from '@patchbay/contract/new-alerts/record'
import { dayMs } from '@patchbay/contract/shared/durations'
import { toUserSid } from '../../auth/signed-in-user.ts'
import { formatPosition, parsePosition } from '../../call-data/alerts/new-alerts.ts'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import { markSeen } from './seen-alerts-store.ts'

export const newAlertRoutes = ({ newAlerts, write }: Services): Handlers<keyof typeof newAlertEndpoints> => {
  const list = async (
    owner: CallOwner,
    { query, actor, signal }: { query: { count: string }; actor: Caller; signal: AbortSignal },
  ) => {
    const from = Date.now() - newAlertDays * dayMs
    const search = { owner, user_sid: toUserSid(actor), from, count: Number(query.count) }
    const { total, alerts, last, newest } = await newAlerts.search(search, { owner: fairnessKey(actor), signal })
    const page: NewAlertPage = {
      total,
      since: alerts[0]?.time ?? null,
      until: last ? formatPosition(last) : null,
      newest: newest ? formatPosition(newest) : null,
      data: [...alerts],
    }
    return ok(page)
  }
  const mark = (owner: CallOwner, { actor, body }: { actor: Caller; body: { until: string } }) =>
    write(actor, (tx) => markSeen(tx, toUserSid(actor), owner, parsePosition(body.until)))
  return {
    'GET /patchbay/accounts/:account_sid/new-alerts': (context) =>
      list({ account_sid: context.params.account_sid }, context),

    'GET /patchbay/service-providers/:service_provider_sid/new-alerts': (context) =>
      list({ service_provider_sid: context.params.service_provider_sid }, context),

    'PUT /patchbay/accounts/:account_sid/seen-alerts': (context) =>
      mark({ account_sid: context.params.account_sid }, context),

    'PUT /patchbay/service-providers/:service_provider_sid/seen-alerts': (context) =>
      mark({ service_provider_sid: context.params.service_provider_sid }, context),
  }
}
