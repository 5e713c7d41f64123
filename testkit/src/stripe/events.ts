import { createHmac } from 'node:crypto'
import { objectById } from './objects.ts'
import { newId, type State, type StripeEvent } from './state.ts'

/** What Stripe tells the address that wants to hear of events (docs.stripe.com/webhooks). */

export const apiVersion = '2026-10-28.endive'

/** An event holds its thing as it was then, however late it comes. */
export const tell = (state: State, type: string, id: string): void => {
  const object = objectById(state, id)
  if (object === undefined) throw new Error(`no ${id} of which an event could tell`)
  const { payments: _payments, confirmation_secret: _secret, ...told } = object
  const copy: StripeEvent['object'] = structuredClone(told)
  state.events.push({ id: newId('evt'), type, created: state.now, object: copy, request: state.request })
}

export interface SignedEvent {
  payload: string
  /** of the header `stripe-signature` */
  signature: string
}

/** `at`: seconds since the epoch; a signature is only good for some minutes */
export const signed = (event: StripeEvent, secret: string, at = Math.floor(Date.now() / 1000)): SignedEvent => {
  const { id, type, created, request, object } = event
  const payload = JSON.stringify({
    id,
    object: 'event',
    api_version: apiVersion,
    created,
    livemode: false,
    pending_webhooks: 1,
    request,
    type,
    data: { object },
  })
  return { payload, signature: `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${payload}`).digest('hex')}` }
}
