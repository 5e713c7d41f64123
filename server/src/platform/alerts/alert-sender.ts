import type { Alert } from '@patchbay/contract/alerts'
import { type DestinationKind, mostSingleAlerts } from '@patchbay/contract/rules/alert-destinations'
import type { Configuration } from '../../configuration.ts'
import type { Database } from '../../database/engine.ts'
import type { Encryption } from '../../encryption.ts'
import { createTurns } from '../../turns.ts'
import type { Mail } from '../mail/mail.ts'
import type { Outgoing } from '../outgoing/outgoing.ts'
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
import { type Address, deliver } from './destination-messages.ts'
import { createStopLinks } from './stop-links.ts'

/** Sends what waits for destinations. Any number of processes may; each destination is one's at a time. */

export interface AlertSender {
  /** Sends all that is due; resolves when it is settled. */
  pass(): Promise<void>
}

interface Surroundings {
  database: Database
  outgoing: Outgoing
  mail: Mail
  encryption: Encryption
  configuration: Pick<Configuration, 'jwtSecret' | 'publicUrl'>
  /** epoch milliseconds */
  now?: () => number
}

const minuteMilliseconds = 60_000
const destinationsAtOnce = 4
const mostDue = 100

/** Messages in a minute that tell of one alert; what comes beyond waits until the minute is over, and goes together. */
const mostSingles: Readonly<Record<DestinationKind, number>> = { webhook: mostSingleAlerts, email: 1 }

/** Of a digest: so many alerts, or so many characters of them, are told; the rest is counted. */
const mostTold = 100
const mostCharacters = 2 ** 20

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

const planOf = ({ kind, minute_at, minute_sent }: ClaimedDestination, waiting: number, now: number): Plan => {
  const isOver = now - minute_at >= minuteMilliseconds
  const minute = isOver ? { minute_at: now, minute_sent: 0 } : { minute_at, minute_sent }
  const most = mostSingles[kind]
  if (minute.minute_sent + waiting <= most)
    return { ...minute, posts: 'singly', minute_sent: minute.minute_sent + waiting }
  return minute.minute_sent === 0 ? { ...minute, posts: 'together', minute_sent: most } : { ...minute, posts: 'later' }
}

export const createAlertSender = ({
  database,
  outgoing,
  mail,
  encryption,
  configuration,
  now = Date.now,
}: Surroundings): AlertSender => {
  const stopLinks = createStopLinks(configuration)
  const addressOf = (destination: ClaimedDestination): Address => {
    const { kind, target, account_sid, account_secret, webhook_secret } = destination
    const secret = (account_sid === null ? encryption.decrypt(webhook_secret ?? '') : account_secret) ?? ''
    return { kind, target, secret, stop: stopLinks.of(destination) }
  }

  const together = async (waiting: readonly Waiting[], left_out: number): Promise<Post[]> => {
    const alerts: Alert[] = []
    let characters = 0
    for (const one of waiting.slice(0, mostTold)) {
      if (characters >= mostCharacters) break
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

  const serve = async (sid: string): Promise<void> => {
    const began = now()
    const destination = await claimDestination(database, sid, began)
    if (destination === undefined) return
    const waiting = await waitingFor(database, sid)
    const { left_out } = destination
    const { posts: how, ...minute } = planOf(destination, waiting.length + left_out, began)
    const settlement = { ...minute, next_at: minute.minute_at + minuteMilliseconds, left_out: 0 }
    if (how === 'later' || waiting.length === 0)
      return settle(database, destination, { ...settlement, outcomes: [] }, now())
    const posts = how === 'together' ? await together(waiting, left_out) : await singly(waiting)
    const address = addressOf(destination)
    const outcomes: Outcome[] = []
    for (const post of posts) outcomes.push(await send(address, post))
    const isTold = how === 'together' && outcomes.every(({ delivered }) => delivered)
    await settle(
      database,
      destination,
      { ...settlement, next_at: now(), outcomes, left_out: isTold ? left_out : 0 },
      now(),
    )
  }

  return {
    async pass() {
      const turns = createTurns({ atOnce: destinationsAtOnce, most: mostDue })
      const due = await dueDestinations(database, now(), mostDue)
      await Promise.all(due.map((sid) => turns.enter('alerts', (turn) => turn(() => serve(sid)))))
    },
  }
}
