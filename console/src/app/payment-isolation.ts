import { isPaymentScreen } from '@patchbay/contract/plans/payment-screens'
import { config } from '../api/configuration.ts'
import { toaster } from '../feedback/toaster.ts'
import type { Toast } from '../ui/toast.tsx'
import type { createConsoleRouter } from './router.tsx'

/** What only the console of a hosted installation starts with. */
export { hostedPages } from './hosted-pages.ts'

/** As this document was fetched; the address goes on without it. */
const takesCards = isPaymentScreen(window.location.pathname)

/** The entry of the history outlives its document. */
interface Carried {
  toasts?: readonly Pick<Toast, 'kind' | 'text' | 'requestId'>[]
}

const stateNow = (): Carried => (window.history.state as Carried | null) ?? {}

const showCarried = (): void => {
  const { toasts = [], ...rest } = stateNow()
  if (toasts.length === 0) return
  window.history.replaceState(rest, '')
  for (const { kind, text, requestId } of toasts) toaster[kind](text, { requestId })
}

/**
 * A policy comes with its document: so whoever goes to a screen on which cards are entered, or leaves one, gets another
 * document (docs/decisions/0019). What toasts say is taken along.
 */
export const keepDocumentsApart = (router: ReturnType<typeof createConsoleRouter>): void => {
  showCarried()
  if (config().hosting?.stripePublishableKey === '') return
  const enter = ({ location, preload }: { location: { pathname: string }; preload: boolean }) => {
    if (preload || isPaymentScreen(location.pathname) === takesCards) return undefined
    router.history.flush()
    // It would ask about what has been left already.
    router.history.destroy()
    window.history.replaceState({ ...stateNow(), toasts: toaster.toasts() }, '')
    window.location.reload()
    // Nothing of it shows in the document that goes.
    return new Promise<never>(() => {})
  }
  Object.assign(router.routeTree.options, { beforeLoad: enter })
}
