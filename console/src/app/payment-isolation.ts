import { isPaymentScreen } from '@patchbay/rules/plans/payment-screens'
import { config } from '../api/configuration.ts'
import { toaster } from '../feedback/toaster.ts'
import type { Toast } from '../ui/overlay/toast.tsx'
import type { createConsoleRouter } from './router.tsx'

/** True if this document was loaded with the content security policy of payment screens. The URL can change later. */
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
 * Reloads the document when the user enters or leaves a payment screen, because a content security policy applies to a
 * whole document (docs/decisions/0019-load-payment-screens-as-separate-documents.md). Pending toasts are carried over.
 */
export const keepDocumentsApart = (router: ReturnType<typeof createConsoleRouter>): void => {
  showCarried()
  if (!config().hosting?.stripePublishableKey) return
  const enter = ({ location, preload }: { location: { pathname: string }; preload: boolean }) => {
    if (preload || isPaymentScreen(location.pathname) === takesCards) return undefined
    router.history.flush()
    // Destroying the history prevents a question about unsaved changes on a page that the user has already left.
    router.history.destroy()
    window.history.replaceState({ ...stateNow(), toasts: toaster.toasts() }, '')
    window.location.reload()
    // A promise that never settles keeps the router from rendering in the document that is being replaced.
    return new Promise<never>(() => {})
  }
  Object.assign(router.routeTree.options, { beforeLoad: enter })
}
