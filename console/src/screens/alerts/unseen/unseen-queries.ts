import type { Alert } from '@patchbay/contract/alerts'
import { queryOptions } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'
import type { OwnerSid } from '../../../api/record-queries.ts'
import { readNewAlerts, unreadKey } from '../../../sections/new-alerts.ts'
import { alertKey } from '../alert-facts.ts'

/** Alerts that are displayed at a time. */
const unseenCount = 25

/** The page that opens does not repeat the read of its loader. */
const staleMs = 1000

/** Alerts of a visit, and how far the user has seen them when they are displayed. */
export interface UnseenAlerts {
  /** Oldest first. */
  alerts: readonly Alert[]
  /** Number of new alerts that are not among them. */
  rest: number
  /** Position of the last of them. Null if the last read has returned no alert. */
  until: string | null
  newest: string | null
}

/**
 * Reads new alerts. Those of earlier reads stay for some minutes, so that an alert is still new after a look at its call.
 */
export const unseenQuery = (owner: OwnerSid) => {
  const queryKey = ['unseen-alerts', owner] as const
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<UnseenAlerts> => {
      const { total, until, newest, data } = await readNewAlerts(owner, unseenCount, { signal, ownFailures: true })
      const before = queryClient.getQueryData<UnseenAlerts>(queryKey)?.alerts ?? []
      const keys = new Set(before.map(alertKey))
      const alerts = [...before, ...data.filter((alert) => !keys.has(alertKey(alert)))]
      return { alerts, rest: Math.max(0, total - data.length), until, newest }
    },
    staleTime: staleMs,
    retry: false,
  })
}

/** Forgets the alerts of this visit, all of which the user has seen. */
export const hideUnseen = (owner: OwnerSid): void => {
  queryClient.setQueryData(unseenQuery(owner).queryKey, { alerts: [], rest: 0, until: null, newest: null })
}

/** Remembers on the server how far the user has seen the alerts. A failure leaves them new. */
export const markSeen = async (owner: OwnerSid, until: string): Promise<void> => {
  const how = { background: true, ownFailures: true } as const
  const body = { until }
  await (owner.account_sid === undefined
    ? api('PUT /patchbay/service-providers/:service_provider_sid/seen-alerts', { params: owner, body }, how)
    : api('PUT /patchbay/accounts/:account_sid/seen-alerts', { params: owner, body }, how))
  // A first read that is under way has not seen the change, and would not be repeated.
  await queryClient.cancelQueries({ queryKey: unreadKey })
  await Promise.all([unreadKey, ['overview']].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
}

/** Marks the alerts up to a position as seen when they are displayed. */
export const useMarkSeen = (owner: OwnerSid, until: string | null | undefined): void => {
  const marked = useRef<string>(undefined)
  useEffect(() => {
    if (!until || marked.current === until) return
    marked.current = until
    markSeen(owner, until).catch(() => {})
  })
}
