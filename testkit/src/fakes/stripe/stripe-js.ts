import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { getPort } from '../../servers/ports.ts'
import type { Stripe } from './stripe.ts'

/**
 * A fake of Stripe's browser script for card payments (docs.stripe.com/js): card fields in a frame of another origin,
 * so that the page receives only a payment method, and a bank that can ask for authentication. Uses the cards of the
 * fake Stripe API.
 */

/** Stripe's test cards (docs.stripe.com/testing) by number. */
const cards: Readonly<Record<string, string>> = {
  '4242424242424242': 'visa',
  '5555555555554444': 'mastercard',
  '4000000000000002': 'chargeDeclined',
  '4000000000000341': 'chargeCustomerFail',
  '4000002500003155': 'authenticationRequiredOnSetup',
  '4000002760003184': 'authenticationRequired',
}

export interface StripeJs {
  /** Value for STRIPE_JS_URL. */
  url: string
  origin: string
  /** Options of each call of `elements()`. */
  elementsOptions: unknown[]
  /** The bank authenticates the customer in a frame of the page (default), or on a page of its own. */
  bank: 'frame' | 'page'
  stop(): Promise<void>
}

/** Script in the page, with the API of Stripe's own script. */
const pageScript = (origin: string, bank: StripeJs['bank']): string => `(() => {
  const origin = ${JSON.stringify(origin)}
  class IntegrationError extends Error {
    name = 'IntegrationError'
  }
  const ask = (frame, what) => new Promise((resolve) => {
    const channel = new MessageChannel()
    channel.port1.onmessage = ({ data }) => resolve(data)
    frame.contentWindow.postMessage(what, origin, [channel.port2])
  })
  const frameOf = (path, title) => {
    const frame = document.createElement('iframe')
    frame.src = origin + path
    frame.title = title
    frame.style.cssText = 'width: 100%; height: 9rem; border: 0'
    return frame
  }
  window.Stripe = (key) => {
    if (!key.startsWith('pk_')) throw new Error('this is no publishable key')
    return {
      elements: (options) => {
        let frame
        let isSubmitted = false
        const listeners = {}
        const group = {
          takeFrame: () => {
            if (!isSubmitted)
              throw new IntegrationError('elements.submit() must be called before stripe.createPaymentMethod().')
            isSubmitted = false
            return frame
          },
          update: (more) => frame.contentWindow.postMessage(more, origin),
          submit: async () => {
            const result = await ask(frame, { act: 'check' })
            isSubmitted = !result.error
            return result
          },
          create: (kind) => ({
            on: (name, listener) => { listeners[name] = listener },
            mount: (place) => {
              frame = frameOf('/fields', 'Secure payment input frame')
              frame.addEventListener('load', () => {
                frame.contentWindow.postMessage({ act: 'asked', options: { ...options, kind } }, origin)
                listeners.ready?.()
              })
              place.append(frame)
            },
            destroy: () => frame?.remove(),
          }),
        }
        return group
      },
      createPaymentMethod: async ({ elements }) => ask(elements.takeFrame(), { act: 'make', key }),
      confirmPayment: async ({ clientSecret, confirmParams: { return_url } }) => {
        if (${JSON.stringify(bank)} === 'page') {
          window.location.assign(origin + '/bank?' + new URLSearchParams({ clientSecret, return_url }))
          return new Promise(() => {})
        }
        const frame = frameOf('/bank', 'Your bank')
        frame.style.cssText = 'position: fixed; inset: 20% 20%; z-index: 2147483647; background: white'
        document.body.append(frame)
        await new Promise((resolve) => frame.addEventListener('load', resolve))
        const { error } = await ask(frame, { act: 'confirm', clientSecret })
        frame.remove()
        if (error) return { error }
        const back = new URL(return_url)
        back.searchParams.set('payment_intent_client_secret', clientSecret)
        back.searchParams.set('redirect_status', 'succeeded')
        window.location.assign(back)
        return new Promise(() => {})
      },
    }
  }
})()
`

const page = (title: string, body: string, script: string): string =>
  `<!doctype html><html lang="en"><title>${title}</title><body>${body}<script>${script}</script></body></html>`

/** Script in the frame. The entered data is sent only to the frame's own server. */
const send = `const send = async (what) => (await fetch('/act', { method: 'POST', body: JSON.stringify(what) })).json()`

const fields = page(
  'Card',
  `<p><label>Card number <input id="number" autocomplete="off"></label></p>
   <p><label>Expiration date <input id="expiry" placeholder="MM / YY"></label></p>
   <p><label>Security code <input id="cvc"></label></p>`,
  `${send}
  const incomplete = { error: { type: 'validation_error', message: 'Your card number is incomplete.' } }
  const paint = ({ variables }) => {
    document.body.style.color = variables.colorText
    document.body.style.background = variables.colorBackground
  }
  const number = () => document.getElementById('number').value.replaceAll(/\\s/g, '')
  addEventListener('message', async ({ data, ports: [port] }) => {
    if (data.appearance) paint(data.appearance)
    if (data.act === 'asked') {
      paint(data.options.appearance)
      await send(data)
    }
    if (data.act === 'check') port.postMessage(number().length < 16 ? incomplete : {})
    if (data.act === 'make') port.postMessage(await send({ ...data, number: number() }))
  })`,
)

/** Buttons of the bank, by the customer's choice and the `redirect_status` that it leads to. */
const bank = page(
  'Bank',
  `<h1>Your bank asks</h1>
   <button value="succeeded">Complete authentication</button>
   <button value="failed">Fail authentication</button>
   <button value="canceled">Cancel</button>`,
  `${send}
  const onChoice = (clientSecret, done) => {
    for (const button of document.querySelectorAll('button'))
      button.onclick = async () => done(await send({ act: 'confirm', clientSecret, choice: button.value }), button.value)
  }
  addEventListener('message', ({ data, ports: [port] }) => onChoice(data.clientSecret, (result) => port.postMessage(result)))
  const query = new URLSearchParams(location.search)
  const clientSecret = query.get('clientSecret')
  if (clientSecret)
    onChoice(clientSecret, (_, choice) => {
      const back = new URL(query.get('return_url'))
      back.searchParams.set('payment_intent_client_secret', clientSecret)
      back.searchParams.set('redirect_status', choice)
      location.assign(back)
    })`,
)

interface Act {
  act: 'asked' | 'make' | 'confirm'
  options?: unknown
  number?: string
  clientSecret?: string
  choice?: 'succeeded' | 'failed' | 'canceled'
}

const cardError = (message: string) => ({ error: { type: 'card_error', message } })

export const startStripeJs = async (stripe: Stripe): Promise<StripeJs> => {
  const elementsOptions: unknown[] = []
  const act = ({ act: what, options, number = '', clientSecret = '', choice = 'succeeded' }: Act): object => {
    if (what === 'asked') elementsOptions.push(options)
    if (what === 'make') {
      const card = cards[number]
      if (card === undefined) return cardError('Your card number is invalid.')
      return { paymentMethod: { id: stripe.card(card).id, type: 'card' } }
    }
    if (what === 'confirm') {
      stripe.confirm(clientSecret, choice === 'succeeded' ? 'yes' : 'no')
      if (choice !== 'succeeded')
        return cardError(
          'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
        )
    }
    return {}
  }
  let origin = ''
  const server = createServer((request, response) => {
    const answer = (type: string, text: string) => void response.writeHead(200, { 'content-type': type }).end(text)
    if (request.url === '/stripe.js') return answer('text/javascript', pageScript(origin, script.bank))
    if (request.url === '/fields') return answer('text/html', fields)
    if (request.url?.startsWith('/bank')) return answer('text/html', bank)
    if (request.url !== '/act') return void response.writeHead(404).end()
    json(request)
      // The cast is safe: only the frame of this server sends requests.
      .then((body) => answer('application/json', JSON.stringify(act(body as Act))))
      .catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${getPort(server)}`
  const script: StripeJs = {
    url: `${origin}/stripe.js`,
    origin,
    elementsOptions,
    bank: 'frame',
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return script
}
