import { useEffect } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { stored } from '../../session/storage.ts'

export const unreadKey = ['unread-alerts'] as const

/** Marks all alerts as read when the alert list mounts. */
export const useSeen = (): void =>
  useEffect(() => {
    stored.alertsLastViewed.write(new Date().toISOString())
    queryClient.setQueriesData({ queryKey: unreadKey }, 0)
  }, [])
