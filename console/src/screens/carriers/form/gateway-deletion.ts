import { createContext } from 'react'
import type { CarrierValues } from './carrier-form.ts'

type GatewayDeletionHandler = (removeGateway: (values: CarrierValues) => CarrierValues) => Promise<void>

/**
 * Called after a saved gateway has been deleted, which takes effect before the form is saved. The handler removes it from
 * the form and from its stored values, and keeps other unsaved edits.
 */
export const GatewayDeletion = createContext<GatewayDeletionHandler>(() => {
  throw new Error('The form of the gateway does not handle its deletion')
})
