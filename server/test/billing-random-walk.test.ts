import { ApiError } from '@patchbay/contract/api/errors'
import type { Billing } from '@patchbay/server/adapters/billing/billing'
import { BillingError } from '@patchbay/server/adapters/billing/billing'
import { createStripeBilling } from '@patchbay/server/adapters/billing/stripe-billing'
import type { BillingService } from '@patchbay/server/billing/billing-operation'
import { createBillingService } from '@patchbay/server/billing/billing-service'
import { readAccount } from '@patchbay/server/billing/subscription-rows'
import { createRandom, type Random } from '@patchbay/server/demo/seeded-random'
import type { SignedEvent } from '@patchbay/testkit/fakes/stripe/events'
import { stripeKeys } from '@patchbay/testkit/fakes/stripe/request-checks'
import type { CardKind } from '@patchbay/testkit/fakes/stripe/state'
import { runsAllCases } from '@patchbay/testkit/test-tier'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Customer, openShop, type Shop, toCaller } from './billing-support.ts'

/**
 * Executes random sequences of user actions, bank decisions, webhooks, and failures with two processes on one database.
 * Each process may end between any two steps. Requests to Stripe get lost, fail, or arrive late. At the end, Stripe and
 * Patchbay must agree, and no customer may have paid twice or for nothing.
 */

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

class Crash extends Error {}

interface Process {
  desk: BillingService
  /** Number of steps until the process ends. Undefined if it continues. */
  steps: number | undefined
  dead: boolean
}

interface Walk {
  dice: Random
  customer: Customer
  /** Milliseconds since the Unix epoch, on a clock that Patchbay and Stripe share. */
  now: number
  processes: Process[]
  /** Requests that have timed out but will still arrive. */
  late: (() => Promise<unknown>)[]
  events: SignedEvent[]
  /** Probability that a request fails. */
  trouble: number
}

const chance = (dice: Random, share: number): boolean => dice.roll() < share
/** Returns a random integer between both limits, inclusive. */
const between = (dice: Random, minScope: number, max: number): number => minScope + dice.below(max - minScope + 1)

const isOurs = (customer: Customer) => (id: string) =>
  shop.stripe.state.customers.get(id)?.metadata['account_sid'] === customer.account_sid

const findSubscriptions = ({ customer }: Walk) =>
  [...shop.stripe.state.subscriptions.values()].filter((one) => isOurs(customer)(one.customer))

const lost = () => new BillingError('silent', 'no answer')

/** Sends a request that may get lost, whose response may get lost, or that may arrive after its timeout. */
const unreliable = async <T>(walk: Walk, request: () => Promise<T>): Promise<T> => {
  const { dice } = walk
  if (!chance(dice, walk.trouble)) return request()
  const how = dice.pick(['before', 'after', 'late'] as const)
  if (how === 'after') await request().catch(() => {})
  if (how === 'late') walk.late.push(request)
  throw lost()
}

const startProcess = (walk: Walk): Process => {
  const { services } = shop.api
  const { origin } = new URL(shop.stripe.settings.STRIPE_BASE_URL)
  const real = createStripeBilling({ origin, key: stripeKeys.secret, webhookSecret: stripeKeys.webhook })
  const step = () => {
    if (process.steps === 0) process.dead = true
    if (process.dead) throw new Crash('it has ended')
    if (process.steps !== undefined) process.steps -= 1
  }
  const billing = new Proxy(real, {
    get:
      (target, name: keyof Billing) =>
      async (...args: unknown[]) => {
        step()
        const request = () => (target[name] as (...all: unknown[]) => Promise<unknown>)(...args)
        const answer = name === 'readEvent' ? await request() : await unreliable(walk, request)
        step()
        return answer
      },
  })
  const database = new Proxy(services.database, {
    get: (target, name): unknown => {
      if (process.dead) throw new Crash('it has ended')
      return Reflect.get(target, name)
    },
  })
  const process: Process = {
    steps: undefined,
    dead: false,
    desk: createBillingService({
      database,
      billing,
      encryption: services.encryption,
      now: () => walk.now,
      onBackgroundError: () => {},
      write: async (author, work) => {
        step()
        const done = await services.write(author, work)
        step()
        return done
      },
    }),
  }
  return process
}

/** Returns whether an error is allowed in a response to a customer. All other errors are bugs. */
const isTold = (error: unknown): boolean =>
  error instanceof Crash || (error instanceof ApiError && (error.status < 500 || [502, 503].includes(error.status)))

const attempt = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await work()
  } catch (error) {
    if (!isTold(error)) throw error
    return undefined
  }
}

/** Most cards are good, because most failures can happen after a payment. */
const cards = [
  'visa',
  'visa',
  'visa',
  'mastercard',
  'chargeDeclined',
  'chargeCustomerFail',
  'authenticationRequiredOnSetup',
  'authenticationRequired',
] as const

const visit = async (walk: Walk, { desk }: Process): Promise<void> => {
  const { dice, customer } = walk
  const { account_sid } = customer
  const actor = toCaller(customer)
  const products = () => shop.products(between(dice, 5, 12), chance(dice, 0.5) ? between(dice, 0, 4) : undefined)
  const method = () => shop.stripe.card(dice.pick(cards)).id
  const action = dice.pick([
    'upgrade',
    'upgrade',
    'upgrade',
    'quantities',
    'quantities',
    'card',
    'card',
    'downgrade',
    'forecast',
    'forget',
  ] as const)
  await attempt(async () => {
    switch (action) {
      case 'upgrade': {
        const { status } = await desk.upgrade(account_sid, actor, { method: method(), products: products() })
        if (status === 'success') expect(findSubscriptions(walk).some((one) => one.status === 'active')).toBe(true)
        return
      }
      case 'quantities':
        return desk.changeQuantities(account_sid, actor, products())
      case 'card':
        return desk.changeCard(account_sid, actor, method())
      case 'downgrade':
        return desk.downgrade(account_sid, actor)
      case 'forecast':
        return desk.forecast(account_sid, products())
      case 'forget':
        return desk.forgetCustomer(account_sid, actor)
    }
  })
}

const speakWithBank = ({ dice, customer }: Walk): void => {
  const waiting = [...shop.stripe.state.intents.values()].filter(
    (one) => one.status === 'requires_action' && isOurs(customer)(one.customer),
  )
  if (waiting.length > 0) shop.stripe.confirm(dice.pick(waiting).client_secret, chance(dice, 0.7) ? 'yes' : 'no')
}

const deliver = async (walk: Walk, { desk }: Process): Promise<void> => {
  const { dice } = walk
  walk.events.push(...shop.stripe.takeEvents())
  for (let count = between(dice, 0, 6); count > 0 && walk.events.length > 0; count -= 1) {
    const index = between(dice, 0, walk.events.length - 1)
    const event = walk.events[index]
    // Some customers return, others do not.
    if (chance(dice, 0.7)) walk.events.splice(index, 1)
    if (event && chance(dice, 0.8)) await attempt(() => desk.receiveEvent(event.payload, event.signature))
  }
}

const arrive = async (walk: Walk): Promise<void> => {
  const all = walk.late.splice(0)
  for (const request of all) await request().catch(() => {})
}

/** Requests in transit arrive within this time. */
const letTimePass = async (walk: Walk, seconds: number): Promise<void> => {
  if (seconds > 100) await arrive(walk)
  walk.now += seconds * 1000
  shop.stripe.advance(seconds)
}

const spoilCards = ({ customer }: Walk, kind: CardKind): void => {
  for (const method of shop.stripe.state.methods.values())
    if (method.customer !== null && isOurs(customer)(method.customer)) method.kind = kind
}

const hour = 3600

const takeStep = async (walk: Walk): Promise<void> => {
  const { dice, processes } = walk
  for (const [index, process] of processes.entries())
    if (process.dead) {
      // A crashed process has claimed the account for this long.
      if (chance(dice, 0.8)) await letTimePass(walk, 61)
      processes[index] = startProcess(walk)
    }
  const process = dice.pick(processes)
  if (chance(dice, 0.12)) process.steps = between(dice, 0, 30)
  const roll = between(dice, 0, 99)
  if (roll < 40) await visit(walk, process)
  else if (roll < 52) await Promise.all(processes.map((each) => visit(walk, each)))
  else if (roll < 60) speakWithBank(walk)
  else if (roll < 70) await deliver(walk, process)
  else if (roll < 80) await attempt(() => process.desk.pass())
  else if (roll < 86) await letTimePass(walk, dice.pick([30, 90, 400, 2 * hour]))
  else if (roll < 92) await letTimePass(walk, dice.pick([24, 24 * 7, 24 * 16, 24 * 31]) * hour)
  else if (roll < 96) spoilCards(walk, dice.pick(['good', 'good', 'declines', 'asks'] as const))
  else await arrive(walk)
}

/** Checks that there is never more than one subscription for which money can be charged. */
const checkOneAtMost = (walk: Walk): void => {
  const live = findSubscriptions(walk).filter(({ ended_at }) => ended_at === null)
  expect(live.map(({ status }) => status)).toHaveLength(Math.min(1, live.length))
}

const checkCharges = (walk: Walk): void => {
  const { charges, invoices, subscriptions } = shop.stripe.state
  const ours = charges.filter(({ customer }) => isOurs(walk.customer)(customer))
  expect(new Set(ours.map(({ invoice }) => invoice)).size).toBe(ours.length)
  expect(ours.filter(({ status }) => status === 'canceled' || status === 'incomplete_expired')).toEqual([])
  // Paid months do not overlap, except with the unused rest of an ended subscription.
  const months = ours.flatMap(({ invoice, subscription }) => {
    const paid = invoices.get(invoice)
    const [line] = paid?.billing_reason === 'subscription_update' ? [] : (paid?.lines ?? [])
    const ended = subscriptions.get(subscription)?.ended_at ?? Number.POSITIVE_INFINITY
    return line ? [{ start: line.period.start, end: Math.min(line.period.end, ended) }] : []
  })
  const inOrder = months.toSorted((one, other) => one.start - other.start)
  for (const [index, { start }] of inOrder.entries()) expect(start).toBeGreaterThanOrEqual(inOrder[index - 1]?.end ?? 0)
}

const getQuantity = (walk: Walk, category: string): number => {
  const { prices, products } = shop.stripe.state
  const items =
    findSubscriptions(walk).find(({ ended_at, status }) => ended_at === null && status !== 'incomplete')?.items ?? []
  const ofCategory = items.filter(
    ({ price }) => products.get(prices.get(price)?.product ?? '')?.metadata['jambonz_category'] === category,
  )
  return ofCategory.reduce((sum, { quantity }) => sum + quantity, 0)
}

/** Checks that both sides agree at the end. */
const checkAgreement = async (walk: Walk): Promise<void> => {
  const { database } = shop.api.test
  const account = await readAccount(database.db, database.engine, walk.customer.account_sid)
  const live = findSubscriptions(walk).find(({ ended_at }) => ended_at === null)
  const running = account?.rows.filter(({ pending }) => pending === 0) ?? []
  const { intent } = (await database.db
    .selectFrom('patchbay_billing')
    .select('intent')
    .where('account_sid', '=', walk.customer.account_sid)
    .executeTakeFirst()) ?? { intent: null }
  expect(intent).toBeNull()
  const open = [...shop.stripe.state.invoices.values()].filter(({ status, subscription, customer }) => {
    const isOver = shop.stripe.state.subscriptions.get(subscription)?.ended_at !== null
    return status === 'open' && isOver && isOurs(walk.customer)(customer)
  })
  expect(open).toEqual([])
  if (live?.status === 'active') {
    expect(account?.plan_type).toBe('paid')
    const quantities = {
      voice_call_session: getQuantity(walk, 'voice_call_session'),
      device: getQuantity(walk, 'device'),
    }
    expect(running).toMatchObject([{ stripe_subscription_id: live.id, quantities }])
    return
  }
  if (live?.status === 'past_due' || live?.status === 'unpaid') {
    expect(account?.plan_type).toBe('paid')
    expect(account?.rows).toMatchObject([
      { pending: 1, pending_reason: 'payment failed', stripe_subscription_id: live.id },
    ])
    return
  }
  expect(['trial', 'free']).toContain(account?.plan_type)
  const starter =
    account?.plan_type === 'trial' ? { voice_call_session: 5, device: 0 } : { voice_call_session: 1, device: 1 }
  expect(running).toMatchObject([{ stripe_subscription_id: null, quantities: starter }])
  const waits = live === undefined ? [] : [{ pending: 1, stripe_subscription_id: live.id }]
  expect(account?.rows.filter(({ pending }) => pending === 1)).toMatchObject(waits)
}

const endWalk = async (walk: Walk): Promise<void> => {
  walk.trouble = 0
  await arrive(walk)
  const process = startProcess(walk)
  if (chance(walk.dice, 0.6)) {
    spoilCards(walk, 'declines')
    const [live] = findSubscriptions(walk).filter(({ ended_at }) => ended_at === null)
    if (live) live.cancel_at_period_end = false
    const renewal = Math.max(0, (live?.period_end ?? 0) - shop.stripe.state.now)
    // After some days, Stripe still retries; after some weeks, it has given up.
    await letTimePass(walk, renewal + walk.dice.pick([1, 1, 1, 20]) * 24 * hour)
  }
  // Some events were never delivered, so reconciliation must find the changes.
  await letTimePass(walk, 7 * hour)
  shop.stripe.takeEvents()
  for (let passes = 0; passes < 3; passes += 1) await process.desk.pass()
}

const seeds = Array.from({ length: runsAllCases ? 12 : 3 }, (_, index) => index + 1)
const stepsOfWalk = 60

test.each(seeds)(
  'walk %i: Stripe and Patchbay agree at the end, and no customer pays twice or for nothing',
  async (seed) => {
    const customer = await shop.customer()
    const now = shop.stripe.state.now * 1000
    const walk: Walk = { dice: createRandom(seed), customer, now, processes: [], late: [], events: [], trouble: 0.04 }
    walk.processes = [startProcess(walk), startProcess(walk)]
    shop.stripe.trouble = () =>
      chance(walk.dice, walk.trouble / 4) ? { when: walk.dice.pick(['before', 'after']), how: '500' } : undefined
    for (let steps = 0; steps < stepsOfWalk; steps += 1) {
      await takeStep(walk)
      checkOneAtMost(walk)
    }
    await endWalk(walk)
    checkOneAtMost(walk)
    checkCharges(walk)
    await checkAgreement(walk)
    expect(walk.late).toEqual([])
  },
)
