import type { LiveCalls } from './live-calls.ts'

const none = () => Promise.resolve([])

/** Without the platform's Redis no call is known, and no feature server. */
export const noLiveCalls: LiveCalls = {
  list: none,
  find: () => Promise.resolve(undefined),
  forget: () => Promise.resolve(false),
  count: () => Promise.resolve({ inbound: 0, outbound: 0 }),
  queues: none,
  conferences: none,
  featureServers: none,
}
