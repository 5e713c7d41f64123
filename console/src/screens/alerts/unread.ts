import { useEffect } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { stored } from '../../session/storage.ts'

export const unreadKey = ['unread-alerts'] as const

/** Who looks at the list has seen what there is. */
export const useSeen = (): void =>
  useEffect(() => {
    stored.alertsLastViewed.write(new Date().toISOString())
    queryClient.setQueriesData({ queryKey: unreadKey }, 0)
  }, [])
