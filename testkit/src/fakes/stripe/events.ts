import { createHmac } from 'node:crypto'
import { objectById } from './objects.ts'
import { newId, type State, type StripeEvent } from './state.ts'

/** Events that Stripe sends to webhooks (docs.stripe.com/webhooks). */

export const apiVersion = '2026-10-28.endive'

/** Records an event with a snapshot of the object, which later changes do not affect. */
export const recordEvent = (state: State, type: string, id: string): void => {
  const object = objectById(state, id)
  if (object === undefined) throw new Error(`no ${id} of which an event could tell`)
  const { payments: _payments, confirmation_secret: _secret, ...publicMembers } = object
  const copy: StripeEvent['object'] = structuredClone(publicMembers)
  state.events.push({ id: newId('evt'), type, created: state.now, object: copy, request: state.request })
}

export interface SignedEvent {
  payload: string
  /** Value of the header `stripe-signature`. */
  signature: string
}

/** @param at seconds since the Unix epoch; signatures are valid for several minutes only */
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
