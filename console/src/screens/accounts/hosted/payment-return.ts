import { useEffect, useState } from 'react'
import { toaster } from '../../../feedback/toaster.ts'

/** Who comes back from the bank, which Stripe says in the address (docs.stripe.com/js/payment_intents/confirm_payment). */

/** As it was when the document was fetched: what the screen does not read is no part of the address any more. */
const addressAtFirst = (): string => performance.getEntriesByType('navigation')[0]?.name ?? ''

let isTold = false

const awaitedMs = 30_000

/** Tells how the payment went, once; answers whether its effect is awaited. */
export const usePaymentReturn = (): boolean => {
  const [status] = useState(() => new URL(addressAtFirst(), window.location.origin).searchParams.get('redirect_status'))
  const [isOver, setOver] = useState(isTold)
  useEffect(() => {
    if (status === null || isTold) return undefined
    isTold = true
    if (status === 'succeeded') toaster.success('Payment completed successfully')
    else toaster.failure('The payment was not completed, so nothing has changed.')
    const timer = setTimeout(() => setOver(true), awaitedMs)
    return () => clearTimeout(timer)
  }, [status])
  return status === 'succeeded' && !isOver
}
