import { useEffect, useState } from 'react'
import { toaster } from '../../../feedback/toaster.ts'

/**
 * Detects a return from the bank by the redirect parameters that Stripe adds
 * (docs.stripe.com/js/payment_intents/confirm_payment).
 */

/**
 * Returns the URL of the document request. The router has already removed search parameters that the screen does not
 * declare.
 */
const getInitialUrl = (): string => performance.getEntriesByType('navigation')[0]?.name ?? ''

let isReported = false

const pollDurationMs = 30_000

/** Shows the result of the payment once. Returns true while the effect of a successful payment is expected. */
export const usePaymentReturn = (): boolean => {
  const [status] = useState(() => new URL(getInitialUrl(), window.location.origin).searchParams.get('redirect_status'))
  const [isOver, setOver] = useState(isReported)
  useEffect(() => {
    if (status === null || isReported) return undefined
    isReported = true
    if (status === 'succeeded') toaster.success('Payment completed successfully')
    else toaster.failure('The payment was not completed. Nothing was changed.')
    const timer = setTimeout(() => setOver(true), pollDurationMs)
    return () => clearTimeout(timer)
  }, [status])
  return status === 'succeeded' && !isOver
}
