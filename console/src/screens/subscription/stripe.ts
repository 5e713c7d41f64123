import type { Appearance, Stripe, StripeConstructor } from '@stripe/stripe-js'
import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import { config } from '../../api/configuration.ts'

/** Loads Stripe.js from Stripe's servers when a card form is first shown. */

declare global {
  interface Window {
    Stripe?: StripeConstructor
    trustedTypes?: {
      createPolicy(name: string, rules: { createScriptURL(address: string): string }): unknown
    }
  }
}

const loadFailedMessage = 'The form for cards could not be loaded from Stripe.'

/** Returns true for addresses of Stripe. Stripe.js loads further scripts, and all other addresses are blocked. */
const isStripeAddress = (address: string, own: string): boolean => {
  const { origin, protocol, hostname } = new URL(address, window.location.origin)
  return origin === new URL(own).origin || (protocol === 'https:' && hostname.endsWith('.js.stripe.com'))
}

const trustStripe = (own: string): void => {
  window.trustedTypes?.createPolicy('default', {
    createScriptURL: (address) => {
      if (isStripeAddress(address, own)) return address
      throw new TypeError(`${address} is not a Stripe URL`)
    },
  })
}

let isTrusted = false

const fetchScript = (address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    if (!isTrusted) trustStripe(address)
    isTrusted = true
    const script = document.createElement('script')
    script.src = address
    script.async = true
    script.addEventListener('load', () => resolve())
    script.addEventListener('error', () => {
      script.remove()
      reject(new Error(loadFailedMessage))
    })
    document.head.append(script)
  })

const loadStripe = async (): Promise<Stripe> => {
  const { stripeJs = '', stripePublishableKey = '' } = config().hosting ?? {}
  if (stripePublishableKey === '') throw new Error('Card payment is not configured.')
  if (window.Stripe === undefined) await fetchScript(stripeJs)
  if (window.Stripe === undefined) throw new Error(loadFailedMessage)
  return window.Stripe(stripePublishableKey)
}

/** Loads Stripe.js once. A failed load can be repeated. */
export const stripeQuery = queryOptions({
  queryKey: ['stripe'],
  queryFn: loadStripe,
  retry: false,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

/** Returns an API error with Stripe's message about the card. */
export const toCardError = ({ message }: { message?: string | undefined }): ApiError =>
  new ApiError('rejected', 402, message ?? 'Stripe rejected the card.')

/** Resolves CSS color variables to values that can be passed to Stripe's iframe. */
const resolveColors = (names: readonly string[]): string[] => {
  const probe = document.createElement('i')
  probe.hidden = true
  document.body.append(probe)
  const colors = names.map((name) => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  })
  probe.remove()
  return colors
}

export const appearance = (): Appearance => {
  const [text = '', muted = '', ground = '', accent = '', danger = '', line = ''] = resolveColors([
    '--text',
    '--text-muted',
    '--ground',
    '--accent-solid',
    '--danger',
    '--control-line',
  ])
  return {
    theme: 'flat',
    variables: {
      fontFamily: 'Inter, system-ui, sans-serif',
      fontSizeBase: '14px',
      borderRadius: '6px',
      colorPrimary: accent,
      colorText: text,
      colorTextSecondary: muted,
      colorTextPlaceholder: muted,
      colorBackground: ground,
      colorDanger: danger,
    },
    rules: { '.Input': { border: `1px solid ${line}` } },
  }
}

/** Calls the listener when the system or the user changes the theme. */
export const onTheme = (listener: () => void): (() => void) => {
  const system = window.matchMedia('(prefers-color-scheme: dark)')
  const chosen = new MutationObserver(listener)
  system.addEventListener('change', listener)
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => {
    system.removeEventListener('change', listener)
    chosen.disconnect()
  }
}
