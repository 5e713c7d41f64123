import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { getPort } from '../ports.ts'
import { apiVersion, signed, type SignedEvent } from './events.ts'
import { objectById } from './objects.ts'
import { confirm } from './payments.ts'
import { newMethod, routes, testCards } from './routes.ts'
import { freshState, newId, type PaymentMethod, type Price, type State, type StripeEvent } from './state.ts'
import { advance } from './subscriptions.ts'
import { expanded, type Form, parseForm, type Json, refuse, FakeStripeError } from './http.ts'

/**
 * Stripe, as far as a subscription goes (docs.stripe.com/api, version 2026-10-28): it keeps what it is told, takes
 * money from test cards, and refuses what the real one refuses. Its time stands still until a test lets it go by.
 */

export const stripeKeys = { secret: 'sk_test_of_the_tests', publishable: 'pk_test_of_the_tests', webhook: 'whsec_test' }

/** What goes wrong with a request: before or after it has been carried out. */
export interface Trouble {
  when: 'before' | 'after'
  /** no answer for a long time, a connection that ends, an answer that says nothing */
  how: 'silent' | 'cut' | '500'
}

export interface Heard {
  method: string
  path: string
  form: Form
  idempotency_key: string | null
}

export interface Stripe {
  /** of a server that is to find it */
  settings: Readonly<
    Record<'STRIPE_API_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_PUBLISHABLE_KEY' | 'STRIPE_BASE_URL', string>
  >
  state: State
  /** all that was asked, in order */
  heard: Heard[]
  /** asked with each request what is to go wrong with it */
  trouble: ((request: Heard) => Trouble | undefined) | undefined
  /** Sells sessions and devices; answers the prices, of which that of sessions costs so many cents each. */
  sells(more?: { session?: Partial<Price>; device?: Partial<Price> }): { session: Price; device: Price }
  /** What the browser makes of a card: `visa`, `chargeDeclined` and others of Stripe's test cards. */
  card(name: string): PaymentMethod
  /** The customer answers the bank, in the browser. */
  confirm(client_secret: string, says?: 'yes' | 'no'): void
  /** Lets time go by. */
  advance(seconds: number): void
  /** Takes the events that nobody has been told of yet, signed. */
  takeEvents(): SignedEvent[]
  /** Signs an event as it would be sent now. */
  sign(event: StripeEvent): SignedEvent
  close(): void
}

const catalogue = (state: State, { session, device }: { session?: Partial<Price>; device?: Partial<Price> }) => {
  const add = (category: string, name: string, unit_label: string, more: Partial<Price>): Price => {
    const product = newId('prod')
    const metadata = { jambonz_category: category, availability: 'general' }
    state.products.set(product, { id: product, name, active: true, description: null, unit_label, metadata })
    const price: Price = {
      id: newId('price'),
      product,
      active: true,
      currency: 'usd',
      billing_scheme: 'per_unit',
      tiers_mode: null,
      unit_amount: null,
      tiers: [],
      ...more,
    }
    state.prices.set(price.id, price)
    return price
  }
  return {
    session: add('voice_call_session', 'concurrent call session', 'per session', { unit_amount: 1000, ...session }),
    device: add('device', 'registered device', 'device', { unit_amount: 200, ...device }),
  }
}

interface Kept {
  fingerprint: string
  status: number
  body: Json
}

const fault500: Json = { error: { type: 'api_error', message: 'An unknown error occurred.' } }

const keyOf = (header = ''): string => {
  const [scheme = '', value = ''] = header.split(' ')
  if (scheme.toLowerCase() === 'basic') return Buffer.from(value, 'base64').toString().split(':')[0] ?? ''
  return scheme.toLowerCase() === 'bearer' ? value : ''
}

const checkKey = (key: string, publishable: boolean): void => {
  if (key === stripeKeys.secret || (publishable && key === stripeKeys.publishable)) return
  if (key === '') refuse('You did not provide an API key.', { status: 401 })
  refuse(`Invalid API Key provided: ${key.slice(0, 8)}****`, { status: 401 })
}

const pathsIn = (form: Form): string[] => (Array.isArray(form['expand']) ? form['expand'].map(String) : [])

export const startStripe = async (): Promise<Stripe> => {
  const state = freshState()
  const answers = new Map<string, Kept>()
  const held = new Set<ServerResponse>()
  let told = 0

  /** Carried out in one go: nothing of a request that is refused stays, except what cards have said. */
  const carryOut = ({ method, path, form }: Heard, key: string): { status: number; body: Json } => {
    try {
      const found = routes.map((route) => ({ route, match: route.path.exec(path) })).filter(({ match }) => match)
      const fitting = found.find(({ route }) => route.method === method)
      checkKey(key, fitting?.route.publishable === true)
      if (fitting === undefined) return refuse(`Unrecognized request URL (${method}: ${path}).`, { status: 404 })
      const { expand: _expand, ...rest } = form
      const id = decodeURIComponent(fitting.match?.[1] ?? '')
      const object = fitting.route.answer({ state, id, form: rest })
      return { status: 200, body: expanded(object, pathsIn(form), (named) => objectById(state, named)) }
    } catch (error) {
      if (!(error instanceof FakeStripeError)) throw error
      return { status: error.status, body: error.body }
    }
  }

  /** The same key and the same request: the same answer, whatever it was. What was no good from the start is not kept. */
  const answerOnce = (heard: Heard, key: string, trouble: Trouble | undefined): { status: number; body: Json } => {
    const { method, path, form, idempotency_key } = heard
    const fingerprint = JSON.stringify([method, path, form])
    const kept = method === 'POST' && idempotency_key !== null ? answers.get(idempotency_key) : undefined
    if (kept && kept.fingerprint !== fingerprint)
      return {
        status: 400,
        body: {
          error: {
            type: 'idempotency_error',
            message: `Keys for idempotent requests can only be used with the same parameters they were first used with.`,
          },
        },
      }
    if (kept) return kept
    state.request = { id: newId('req'), idempotency_key }
    const fails = trouble?.how === '500'
    const answer = fails && trouble.when === 'before' ? { status: 500, body: fault500 } : carryOut(heard, key)
    const said = fails ? { status: 500, body: fault500 } : answer
    const wasCarriedOut = said.status < 400 || said.status === 402 || said.status >= 500
    if (method === 'POST' && idempotency_key !== null && wasCarriedOut)
      answers.set(idempotency_key, { fingerprint, ...said })
    return said
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://stripe')
    const text = Buffer.concat((await request.toArray()) as Buffer[]).toString()
    const idempotency_key = request.headers['idempotency-key']?.toString() ?? null
    const form = parseForm(request.method === 'POST' ? text : url.search.slice(1))
    const heard = { method: request.method ?? '', path: url.pathname, form, idempotency_key }
    const headers = {
      'content-type': 'application/json',
      'stripe-version': apiVersion,
      'request-id': randomUUID(),
      'access-control-allow-origin': '*',
      'access-control-allow-headers': '*',
    }
    // A browser asks first whether it may.
    if (request.method === 'OPTIONS') return void response.writeHead(204, headers).end()
    stripe.heard.push(heard)
    const trouble = stripe.trouble?.(heard)
    const end = (): void => {
      if (trouble?.how === 'silent') held.add(response)
      else request.socket.destroy()
    }
    if (trouble?.when === 'before' && trouble.how !== '500') return end()
    const { status, body } = answerOnce(heard, keyOf(request.headers.authorization), trouble)
    if (trouble?.when === 'after' && trouble.how !== '500') return end()
    response.writeHead(status, headers).end(JSON.stringify(body))
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stripe: Stripe = {
    settings: {
      STRIPE_API_KEY: stripeKeys.secret,
      STRIPE_WEBHOOK_SECRET: stripeKeys.webhook,
      STRIPE_PUBLISHABLE_KEY: stripeKeys.publishable,
      STRIPE_BASE_URL: `http://127.0.0.1:${getPort(server)}/v1`,
    },
    state,
    heard: [],
    trouble: undefined,
    sells: (more = {}) => catalogue(state, more),
    card(name) {
      const card = testCards[name]
      if (card === undefined) throw new Error(`there is no test card ${name}`)
      return newMethod(state, card)
    },
    confirm(client_secret, says = 'yes') {
      const intent = [...state.intents.values()].find((one) => one.client_secret === client_secret)
      if (intent === undefined) throw new Error('no payment has that secret')
      confirm(state, intent, says)
    },
    advance: (seconds) => advance(state, seconds),
    takeEvents() {
      const fresh = state.events.slice(told)
      told = state.events.length
      return fresh.map((event) => signed(event, stripeKeys.webhook))
    },
    sign: (event) => signed(event, stripeKeys.webhook),
    close() {
      for (const response of held) response.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
  return stripe
}
