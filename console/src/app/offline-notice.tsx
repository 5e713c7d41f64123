import { onlineManager, useMutationState } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { ApiError } from '../api/api-error.ts'
import { queryClient } from '../api/query-client.ts'
import { isReconnecting, subscribeToReconnecting } from '../api/reconnect.ts'
import { Banner } from '../ui/banner.tsx'
import styles from './app-shell.module.css'

const tryAgainMs = 10_000

const subscribeToNetwork = (listener: () => void) => onlineManager.subscribe(listener)
const isOnline = () => onlineManager.isOnline()

const cache = queryClient.getQueryCache()
const subscribeToReads = (listener: () => void) => cache.subscribe(listener)

/** Returns whether displayed data could not be refreshed because the server did not respond. */
const isCutOff = ({ state }: { state: { data: unknown; error: unknown } }): boolean =>
  state.data !== undefined && state.error instanceof ApiError && state.error.kind === 'unreachable'

const anyWaiting = () => cache.findAll({ fetchStatus: 'paused' }).length > 0
const anyCutOff = () => cache.findAll({ type: 'active', predicate: isCutOff }).length > 0

/**
 * Browsers report a missing network, but not an unreachable server. Failed queries are repeated to notice its return.
 */
const useConnection = (): 'online' | 'offline' | 'reconnecting' => {
  const online = useSyncExternalStore(subscribeToNetwork, isOnline)
  const reconnecting = useSyncExternalStore(subscribeToReconnecting, isReconnecting)
  const cutOff = useSyncExternalStore(subscribeToReads, anyCutOff)
  useEffect(() => {
    if (!online || !cutOff) return undefined
    const again = async () => {
      await queryClient.refetchQueries({ type: 'active', predicate: isCutOff })
      if (!anyCutOff()) await queryClient.refetchQueries({ type: 'active', stale: true })
    }
    const timer = window.setInterval(() => void again(), tryAgainMs)
    return () => window.clearInterval(timer)
  }, [online, cutOff])
  if (!online) return 'offline'
  return reconnecting || cutOff ? 'reconnecting' : 'online'
}

/** Shown while there is no network or no server, because displayed data may be outdated and requests are waiting. */
export const OfflineNotice = () => {
  const connection = useConnection()
  const reads = useSyncExternalStore(subscribeToReads, anyWaiting)
  const writes = useMutationState({ filters: { predicate: ({ state }) => state.isPaused } }).length > 0
  return (
    <div role="status" className={connection === 'online' ? undefined : styles['notice']}>
      {connection === 'reconnecting' && <Banner tone="warn">Can't reach the server. Reconnecting…</Banner>}
      {connection === 'offline' && (
        <Banner tone="warn">
          You are offline. The data on this page may be out of date.
          {(reads || writes) && ' Pending requests continue when the network is back.'}
        </Banner>
      )}
    </div>
  )
}
