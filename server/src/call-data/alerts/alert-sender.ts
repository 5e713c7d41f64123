import type { Alert } from '@patchbay/contract/alerts'
import { type DestinationKind, maxSingleAlerts } from '@patchbay/contract/shared/destination-kinds'
import { minuteMs } from '@patchbay/contract/shared/durations'
import type { Mail } from '../../adapters/mail/mail.ts'
import type { Outgoing } from '../../adapters/outbound-http/outgoing.ts'
import type { Configuration } from '../../config/configuration.ts'
import type { Database } from '../../database/engine.ts'
import { createBackgroundQueue } from '../../lib/background-queue.ts'
import type { Encryption } from '../../lib/encryption.ts'
import type { OnBackgroundError } from '../../lib/log.ts'
import { type Address, deliver } from './deliver.ts'
import {
  type ClaimedDestination,
  claimDestination,
  findAlertOfDelivery,
  findDueDestinations,
  findWaitingDeliveries,
  type Outcome,
  recordResult,
  type WaitingDelivery,
} from './delivery-queue.ts'
import { createUnsubscribeLinks } from './unsubscribe-links.ts'

/**
 * Delivers queued alerts. Safe to run in any number of processes: a destination is claimed by one process at a time.
 * Capacity is shared fairly between tenants (accounts and service providers). Destinations that are slow or have failed
 * use separate slots, so that they do not delay other destinations.
 */
export interface AlertSender {
  /** Queues the destinations that are due. Does not wait for deliveries. */
  queueDue(): Promise<void>
  /** Resolves when no delivery is queued or runs, and its outcome is recorded. */
  settled(): Promise<void>
  /** Drops deliveries that have not started. They remain queued in the database. */
  stop(): void
}

interface Dependencies {
  database: Database
  outgoing: Outgoing
  mail: Mail
  encryption: Encryption
  configuration: Pick<Configuration, 'jwtSecret' | 'publicUrl' | 'pagerDutyUrl'>
  onBackgroundError: OnBackgroundError
  /** Milliseconds since the Unix epoch. */
  now?: () => number
}

const concurrency = { fastConcurrency: 4, slowConcurrency: 16, maxPerTenant: 2, slowAfterMs: 2000 }

/** Maximum number of destinations to queue in one run, in total and per tenant. */
const batch = { limit: 5000, maxPerTenant: 20 }

/**
 * The sender starts no further message to a destination after this time, so that the claim does not expire during a
 * delivery.
 */
const maxDeliveryMs = 45_000

/**
 * Messages per minute that carry a single alert. Further alerts wait until the minute is over and are sent together as
 * a digest.
 */
const maxSingleMessagesPerMinute: Readonly<Record<DestinationKind, number>> = {
  webhook: maxSingleAlerts,
  slack: maxSingleAlerts,
  pagerduty: maxSingleAlerts,
  email: 1,
}

/**
 * Limits of a digest. Alerts beyond the limits are only counted. The last included alert may exceed the character
 * limit.
 */
const maxDigestAlerts = 100
const maxDigestCharacters = 2 ** 20

interface AlertMessage {
  deliveries: readonly string[]
  alerts: readonly Alert[]
  count: number
}

interface Plan {
  mode: 'later' | 'together' | 'singly'
  minute_at: number
  minute_sent: number
}

const planDelivery = ({ kind, minute_at, minute_sent }: ClaimedDestination, waiting: number, now: number): Plan => {
  // A minute that starts in the future was stored before the clock was set back.
  const isOver = now - minute_at >= minuteMs || now < minute_at
  const minute = isOver ? { minute_at: now, minute_sent: 0 } : { minute_at, minute_sent }
  const max = maxSingleMessagesPerMinute[kind]
  if (minute.minute_sent + waiting <= max)
    return { ...minute, mode: 'singly', minute_sent: minute.minute_sent + waiting }
  return minute.minute_sent === 0 ? { ...minute, mode: 'together', minute_sent: max } : { ...minute, mode: 'later' }
}

/** Creates the process that delivers alerts to destinations. */
export const createAlertSender = ({
  database,
  outgoing,
  mail,
  encryption,
  configuration,
  onBackgroundError,
  now = Date.now,
}: Dependencies): AlertSender => {
  const queue = createBackgroundQueue({
    name: 'alert_deliveries',
    ...concurrency,
    onError: (error) => onBackgroundError(error, 'alerts of a destination could not be sent; retrying'),
  })
  const unsubscribeLinks = createUnsubscribeLinks(configuration)
  const getAddress = (destination: ClaimedDestination): Address => {
    const { kind, target, account_sid, account_secret, webhook_secret } = destination
    const secret = (account_sid === null ? encryption.decrypt(webhook_secret ?? '') : account_secret) ?? ''
    return { kind, target, secret, unsubscribePath: unsubscribeLinks.createPath(destination) }
  }

  const buildDigest = async (waiting: readonly WaitingDelivery[], left_out: number): Promise<AlertMessage[]> => {
    const alerts: Alert[] = []
    let characters = 0
    for (const candidate of waiting.slice(0, maxDigestAlerts)) {
      if (characters >= maxDigestCharacters) break
      const alert = await findAlertOfDelivery(database, candidate)
      if (alert === undefined) continue
      characters += JSON.stringify(alert).length
      alerts.push(alert)
    }
    const deliveries = waiting.map(({ delivery_sid }) => delivery_sid)
    return [{ deliveries, alerts, count: waiting.length + left_out }]
  }

  const buildSingleMessages = async (waiting: readonly WaitingDelivery[]): Promise<AlertMessage[]> => {
    const messages: AlertMessage[] = []
    for (const waitingDelivery of waiting) {
      const alert = await findAlertOfDelivery(database, waitingDelivery)
      messages.push({ deliveries: [waitingDelivery.delivery_sid], alerts: alert ? [alert] : [], count: 1 })
    }
    return messages
  }

  const send = async (address: Address, { deliveries, alerts, count }: AlertMessage): Promise<Outcome> => {
    if (alerts.length === 0)
      return {
        deliveries,
        delivered: false,
        final: true,
        skipped: true,
        status: null,
        error: 'The alert is no longer kept',
      }
    const { text: _text, ...result } = await deliver({ outgoing, mail, configuration }, address, { alerts, count })
    return { deliveries, ...result }
  }

  /**
   * Sends messages one after another until all are sent, the time limit is reached, or the destination does not
   * respond or asks to wait. After a failure, the next attempt starts with a single message and continues only if the destination
   * responds.
   */
  const sendAll = async (address: Address, posts: readonly AlertMessage[]): Promise<Outcome[]> => {
    const startedAt = performance.now()
    const outcomes: Outcome[] = []
    for (const message of posts) {
      const outcome = await send(address, message)
      outcomes.push(outcome)
      const hasResponse = outcome.delivered || outcome.final || outcome.status !== null
      const mustWait = outcome.retryAfterMs !== undefined
      if (!hasResponse || mustWait || performance.now() - startedAt > maxDeliveryMs) break
    }
    return outcomes
  }

  const deliverTo = async (sid: string): Promise<void> => {
    const startedAt = now()
    const destination = await claimDestination(database, sid, startedAt)
    if (destination === undefined) return
    const waiting = await findWaitingDeliveries(database, sid)
    const { left_out } = destination
    const { mode, minute_at, minute_sent } = planDelivery(destination, waiting.length + left_out, startedAt)
    const schedule = { minute_at, minute_sent, next_at: minute_at + minuteMs, left_out: 0 }
    if (mode === 'later' || waiting.length === 0)
      return recordResult(database, destination, { ...schedule, outcomes: [] }, now())
    const messages = mode === 'together' ? await buildDigest(waiting, left_out) : await buildSingleMessages(waiting)
    const outcomes = await sendAll(getAddress(destination), messages)
    const isDigestDelivered = mode === 'together' && outcomes.every(({ delivered }) => delivered)
    await recordResult(
      database,
      destination,
      {
        ...schedule,
        minute_sent: minute_sent - (messages.length - outcomes.length),
        next_at: now(),
        outcomes,
        left_out: isDigestDelivered ? left_out : 0,
      },
      now(),
    )
  }

  return {
    async queueDue() {
      for (const { alert_destination_sid: key, owner, isFailing } of await findDueDestinations(database, now(), batch))
        queue.add({ key, tenant: owner, isSuspect: isFailing, run: () => deliverTo(key) })
    },
    settled: () => queue.settled(),
    stop: () => queue.clear(),
  }
}
