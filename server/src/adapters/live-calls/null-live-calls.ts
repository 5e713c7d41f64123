import type { LiveCalls } from './live-calls.ts'

const none = () => Promise.resolve([])

/** Used without Redis: there are no calls in progress and no feature servers. */
export const noLiveCalls: LiveCalls = {
  list: none,
  find: () => Promise.resolve(undefined),
  remove: () => Promise.resolve(false),
  count: () => Promise.resolve({ inbound: 0, outbound: 0 }),
  queues: none,
  conferences: none,
  featureServers: none,
}
