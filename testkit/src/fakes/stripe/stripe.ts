import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { getPort } from '../../servers/ports.ts'
import { apiVersion, type SignedEvent, signed } from './events.ts'
import { expandObject, FakeStripeError, type Form, parseForm, refuse } from './http.ts'
import { createIdempotencyStore, type StripeAnswer } from './idempotency.ts'
import { objectById } from './objects.ts'
import { confirm } from './payments.ts'
import { checkHeaders, checkKey, parseApiKey, stripeKeys } from './request-checks.ts'
import { newMethod, routes, testCards } from './routes.ts'
import { freshState, newId, type PaymentMethod, type Price, type State, type StripeEvent } from './state.ts'
import { advance } from './subscriptions.ts'

/**
 * A fake of the Stripe API for subscriptions (docs.stripe.com/api, version 2026-10-28). It stores objects, charges test
 * cards, and rejects what Stripe rejects. Its clock moves only when a test advances it.
 */

/**
 * A simulated failure of a request, before or after the request is executed.
 * - `silent`, `cut`, `500`: no response, a closed connection, or a response without information
 * - `409`: another request with the same idempotency key is still being executed
 * - `429`: the rate limit is exceeded
 */
export type Trouble =
  | { when: 'before' | 'after'; how: 'silent' | 'cut' | '500' }
  | { when: 'before'; how: '409' | '429' }

export interface ReceivedRequest {
  method: string
  path: string
  form: Form
  idempotency_key: string | null
}

export interface Stripe {
  /** Settings for a server that uses this fake. */
  settings: Readonly<
    Record<'STRIPE_API_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_PUBLISHABLE_KEY' | 'STRIPE_BASE_URL', string>
  >
  state: State
  /** All requests in the order of arrival. */
  heard: ReceivedRequest[]
  /** Returns the failure to simulate for a request, if any. */
  trouble: ((request: ReceivedRequest) => Trouble | undefined) | undefined
  /** Creates products for sessions and devices, and returns their prices. `more` overrides members of the prices. */
  sells(more?: { session?: Partial<Price>; device?: Partial<Price> }): { session: Price; device: Price }
  /** Creates a payment method like the browser does: `visa`, `chargeDeclined`, and other test cards of Stripe. */
  card(name: string): PaymentMethod
  /** Simulates the customer's response to the bank in the browser. */
  confirm(client_secret: string, says?: 'yes' | 'no'): void
  /** Advances the clock. */
  advance(seconds: number): void
  /** Returns the events since the previous call, signed. */
  takeEvents(): SignedEvent[]
  /** Signs an event with the current time. */
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

/** Responses of Stripe that do not execute the request, so that they are not stored for its idempotency key. */
const rejections: Readonly<Record<'409' | '429', StripeAnswer>> = {
  '409': {
    status: 409,
    body: {
      error: {
        type: 'idempotency_error',
        code: 'idempotency_key_in_use',
        message: 'There is currently another in-progress request using this Idempotency Key.',
      },
    },
  },
  '429': {
    status: 429,
    body: { error: { type: 'invalid_request_error', code: 'rate_limit', message: 'Request rate limit exceeded.' } },
  },
}

const internalError: StripeAnswer = {
  status: 500,
  body: { error: { type: 'api_error', message: 'An unknown error occurred.' } },
}

/** Converts Stripe's errors to responses. */
const orError = (work: () => StripeAnswer): StripeAnswer => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof FakeStripeError)) throw error
    return { status: error.status, body: error.body }
  }
}

const pathsIn = (form: Form): string[] => (Array.isArray(form['expand']) ? form['expand'].map(String) : [])

export const startStripe = async (): Promise<Stripe> => {
  const state = freshState()
  const idempotency = createIdempotencyStore()
  const openResponses = new Set<ServerResponse>()
  let takenEvents = 0

  /** Executes a request atomically: a rejected request changes nothing, except for the results of charges. */
  const carryOut = ({ method, path, form }: ReceivedRequest, headers: IncomingHttpHeaders, hasBody: boolean) =>
    orError(() => {
      const matches = routes.map((route) => ({ route, match: route.path.exec(path) })).filter(({ match }) => match)
      const fitting = matches.find(({ route }) => route.method === method)
      const key = parseApiKey(headers.authorization)
      checkKey(key, fitting?.route.publishable === true)
      checkHeaders(headers, hasBody)
      if (fitting === undefined) return refuse(`Unrecognized request URL (${method}: ${path}).`, { status: 404 })
      const { expand: _expand, ...rest } = form
      const id = decodeURIComponent(fitting.match?.[1] ?? '')
      const isPublishable = key === stripeKeys.publishable
      const object = fitting.route.answer({ state, id, form: rest, isPublishable })
      return { status: 200, body: expandObject(object, pathsIn(form), (named) => objectById(state, named)) }
    })

  const answer = (heard: ReceivedRequest, trouble: Trouble | undefined, execute: () => StripeAnswer): StripeAnswer => {
    const { method, path, form, idempotency_key } = heard
    if (trouble?.how === '409' || trouble?.how === '429') return rejections[trouble.how]
    const executeOrFail = (): StripeAnswer => {
      state.request = { id: newId('req'), idempotency_key }
      if (trouble?.how !== '500') return execute()
      if (trouble.when === 'after') execute()
      return internalError
    }
    if (method !== 'POST' || idempotency_key === null) return executeOrFail()
    const fingerprint = JSON.stringify([method, path, form])
    return orError(() => idempotency.answerOnce(idempotency_key, fingerprint, state.now, executeOrFail))
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
    // CORS preflight request of a browser.
    if (request.method === 'OPTIONS') return void response.writeHead(204, headers).end()
    stripe.heard.push(heard)
    const trouble = stripe.trouble?.(heard)
    const isUnanswered = trouble?.how === 'silent' || trouble?.how === 'cut'
    const end = (): void => {
      if (trouble?.how === 'silent') openResponses.add(response)
      else request.socket.destroy()
    }
    if (isUnanswered && trouble.when === 'before') return end()
    const { status, body } = answer(heard, trouble, () => carryOut(heard, request.headers, text !== ''))
    if (isUnanswered) return end()
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
      const fresh = state.events.slice(takenEvents)
      takenEvents = state.events.length
      return fresh.map((event) => signed(event, stripeKeys.webhook))
    },
    sign: (event) => signed(event, stripeKeys.webhook),
    close() {
      for (const response of openResponses) response.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
  return stripe
}
