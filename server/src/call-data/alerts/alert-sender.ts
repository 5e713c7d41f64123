import type { Alert } from '@patchbay/contract/alerts'
import { type DestinationKind, maxSingleAlerts } from '@patchbay/contract/shared/alert-destinations'
import { createBackgroundQueue } from '../../lib/background-queue.ts'
import type { Configuration } from '../../config/configuration.ts'
import type { Database } from '../../database/engine.ts'
import type { Encryption } from '../../lib/encryption.ts'
import type { Mail } from '../../adapters/mail/mail.ts'
import type { Outgoing } from '../../adapters/outbound-http/outgoing.ts'
import {
  alertOfDelivery,
  claimDestination,
  type ClaimedDestination,
  dueDestinations,
  type Outcome,
  settle,
  type Waiting,
  waitingFor,
} from './delivery-queue.ts'
import { type Address, deliver } from './deliver.ts'
import { createStopLinks } from './unsubscribe-links.ts'

/**
 * Delivers queued alerts. Safe to run in any number of processes: a destination is claimed by one process at a time.
 * Owners (accounts and service providers) take turns, and destinations that hang or failed use places of their own, so
 * that they delay no others.
 */
export interface AlertSender {
  /** Queues the destinations that are due. Does not wait for deliveries. */
  queueDue(): Promise<void>
  /** Resolves when no delivery is queued or runs, and its outcome is recorded. */
  settled(): Promise<void>
  /** Drops what has not started. It stays queued in the database. */
  stop(): void
}

interface Surroundings {
  database: Database
  outgoing: Outgoing
  mail: Mail
  encryption: Encryption
  configuration: Pick<Configuration, 'jwtSecret' | 'publicUrl'>
  onBackgroundError: (error: unknown, what: string) => void
  /** epoch milliseconds */
  now?: () => number
}

const minuteMilliseconds = 60_000

const concurrency = { fastConcurrency: 4, slowConcurrency: 16, maxPerTenant: 2, slowAfterMs: 2000 }

/** Destinations that are looked at in one run, and of them queued of one owner. */
const batch = { limit: 5000, limitOfOwner: 20 }

/** When no further message of a destination is begun, so that its claim does not run out while one is sent. */
const maxDeliveryMs = 45_000

/** Messages in a minute that tell of one alert; what comes beyond waits until the minute is over, and goes together. */
const maxSingleMessagesPerMinute: Readonly<Record<DestinationKind, number>> = { webhook: maxSingleAlerts, email: 1 }

/** Of a digest: so many alerts, or so many characters of them, are told; the rest is counted. */
const maxDigestAlerts = 100
const maxDigestCharacters = 2 ** 20

interface Post {
  deliveries: readonly string[]
  alerts: readonly Alert[]
  count: number
}

interface Plan {
  posts: 'later' | 'together' | 'singly'
  minute_at: number
  minute_sent: number
}

const planDelivery = ({ kind, minute_at, minute_sent }: ClaimedDestination, waiting: number, now: number): Plan => {
  // A minute that begins in the future is of a clock that was set back.
  const isOver = now - minute_at >= minuteMilliseconds || now < minute_at
  const minute = isOver ? { minute_at: now, minute_sent: 0 } : { minute_at, minute_sent }
  const max = maxSingleMessagesPerMinute[kind]
  if (minute.minute_sent + waiting <= max)
    return { ...minute, posts: 'singly', minute_sent: minute.minute_sent + waiting }
  return minute.minute_sent === 0 ? { ...minute, posts: 'together', minute_sent: max } : { ...minute, posts: 'later' }
}

export const createAlertSender = ({
  database,
  outgoing,
  mail,
  encryption,
  configuration,
  onBackgroundError,
  now = Date.now,
}: Surroundings): AlertSender => {
  const queue = createBackgroundQueue({
    ...concurrency,
    onError: (error) =>
      onBackgroundError(error, 'alerts could not be sent; retrying once the claim of their destination runs out'),
  })
  const stopLinks = createStopLinks(configuration)
  const getAddress = (destination: ClaimedDestination): Address => {
    const { kind, target, account_sid, account_secret, webhook_secret } = destination
    const secret = (account_sid === null ? encryption.decrypt(webhook_secret ?? '') : account_secret) ?? ''
    return { kind, target, secret, stop: stopLinks.of(destination) }
  }

  const together = async (waiting: readonly Waiting[], left_out: number): Promise<Post[]> => {
    const alerts: Alert[] = []
    let characters = 0
    for (const one of waiting.slice(0, maxDigestAlerts)) {
      if (characters >= maxDigestCharacters) break
      const alert = await alertOfDelivery(database, one)
      if (alert === undefined) continue
      characters += JSON.stringify(alert).length
      alerts.push(alert)
    }
    const deliveries = waiting.map(({ delivery_sid }) => delivery_sid)
    return [{ deliveries, alerts, count: waiting.length + left_out }]
  }

  const singly = async (waiting: readonly Waiting[]): Promise<Post[]> => {
    const posts: Post[] = []
    for (const one of waiting) {
      const alert = await alertOfDelivery(database, one)
      posts.push({ deliveries: [one.delivery_sid], alerts: alert ? [alert] : [], count: 1 })
    }
    return posts
  }

  const send = async (address: Address, { deliveries, alerts, count }: Post): Promise<Outcome> => {
    if (alerts.length === 0)
      return { deliveries, delivered: false, final: true, status: null, error: 'The alert is no longer kept' }
    const { delivered, status, error } = await deliver({ outgoing, mail }, address, { alerts, count })
    return { deliveries, delivered, status, error }
  }

  /**
   * Sends one message after another, until all are sent, time runs out, or one gets no response. The next attempt then
   * begins with a single message, and continues if that gets a response.
   */
  const sendAll = async (address: Address, posts: readonly Post[]): Promise<Outcome[]> => {
    const startedAt = performance.now()
    const outcomes: Outcome[] = []
    for (const post of posts) {
      const outcome = await send(address, post)
      outcomes.push(outcome)
      const hasResponse = outcome.delivered || outcome.final || outcome.status !== null
      if (!hasResponse || performance.now() - startedAt > maxDeliveryMs) break
    }
    return outcomes
  }

  const serve = async (sid: string): Promise<void> => {
    const began = now()
    const destination = await claimDestination(database, sid, began)
    if (destination === undefined) return
    const waiting = await waitingFor(database, sid)
    const { left_out } = destination
    const { posts: how, minute_at, minute_sent } = planDelivery(destination, waiting.length + left_out, began)
    const settlement = { minute_at, minute_sent, next_at: minute_at + minuteMilliseconds, left_out: 0 }
    if (how === 'later' || waiting.length === 0)
      return settle(database, destination, { ...settlement, outcomes: [] }, now())
    const posts = how === 'together' ? await together(waiting, left_out) : await singly(waiting)
    const outcomes = await sendAll(getAddress(destination), posts)
    const isTold = how === 'together' && outcomes.every(({ delivered }) => delivered)
    await settle(
      database,
      destination,
      {
        ...settlement,
        minute_sent: minute_sent - (posts.length - outcomes.length),
        next_at: now(),
        outcomes,
        left_out: isTold ? left_out : 0,
      },
      now(),
    )
  }

  return {
    async queueDue() {
      for (const { alert_destination_sid: key, owner, isFailing } of await dueDestinations(database, now(), batch))
        queue.add({ key, tenant: owner, isSuspect: isFailing, run: () => serve(key) })
    },
    settled: () => queue.settled(),
    stop: () => queue.clear(),
  }
}
