import type { Stripe, StripeElements } from '@stripe/stripe-js'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { LoadFailed } from '../../ui/table/list-state.tsx'
import { appearance, onTheme, stripeQuery, toCardError } from './stripe.ts'
import styles from './subscription.module.css'

export interface CardEntry {
  /** True when the card fields have loaded. */
  isReady: boolean
  /** Creates a payment method from the card. Throws an error with Stripe's message. */
  makeMethod(): Promise<string>
  fields: ReactNode
}

/** Accepts cards only and sets them up for later charges. The server reports the result of a charge. */
const startElements = (stripe: Stripe): StripeElements =>
  stripe.elements({
    mode: 'setup',
    currency: 'usd',
    paymentMethodCreation: 'manual',
    allowedPaymentMethodTypes: ['card'],
    appearance: appearance(),
  })

const createPaymentMethod = async (stripe: Stripe, elements: StripeElements): Promise<string> => {
  const submitted = await elements.submit()
  if (submitted.error) throw toCardError(submitted.error)
  const { paymentMethod, error } = await stripe.createPaymentMethod({ elements })
  if (error) throw toCardError(error)
  return paymentMethod.id
}

/** Card fields in an iframe of Stripe, so that card numbers never reach Patchbay. */
export const useCardEntry = (title: string): CardEntry => {
  const stripe = useQuery(stripeQuery)
  const container = useRef<HTMLDivElement>(null)
  const started = useRef<StripeElements>(undefined)
  const [isReady, setReady] = useState(false)
  const [problem, setProblem] = useState<string>()
  const { data } = stripe

  useEffect(() => {
    if (data === undefined || container.current === null) return undefined
    const elements = startElements(data)
    started.current = elements
    const wallets = { applePay: 'never', googlePay: 'never', link: 'never' } as const
    const fields = elements.create('payment', { wallets })
    fields.on('ready', () => setReady(true))
    fields.on('loaderror', ({ error }) => setProblem(toCardError(error).message))
    fields.mount(container.current)
    const stop = onTheme(() => void elements.update({ appearance: appearance() }))
    return () => {
      stop()
      fields.destroy()
      started.current = undefined
      setReady(false)
    }
  }, [data])

  const reason = stripe.error?.message ?? problem
  return {
    isReady,
    makeMethod: async () => {
      if (data === undefined || started.current === undefined)
        throw toCardError({ message: 'The card form is still loading.' })
      return createPaymentMethod(data, started.current)
    },
    fields: (
      <FormSection
        title={title}
        description="Your card details go directly to Stripe. Patchbay does not store the card number."
      >
        {reason === undefined ? (
          <>
            {!isReady && <Skeleton shape="field" count={3} />}
            <div ref={container} className={isReady ? undefined : styles['unready']} />
          </>
        ) : (
          <LoadFailed message={reason} onRetry={() => (problem ? window.location.reload() : void stripe.refetch())} />
        )}
      </FormSection>
    ),
  }
}
