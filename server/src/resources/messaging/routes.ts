import { throwApiError } from '@patchbay/contract/api/errors'
import type { messagingEndpoints } from '@patchbay/contract/messaging'
import { createOpenAccess } from '../../auth/open-access.ts'
import type { Handlers } from '../../http/contract-router.ts'
import type { Services } from '../services.ts'

/** Rejects all messages, because Patchbay has no modules for SMS providers. */
export const messagingRoutes = (services: Services): Handlers<keyof typeof messagingEndpoints> => {
  const checkAccess = createOpenAccess(services)
  return {
    'POST /messaging/:provider': async (context) => {
      await checkAccess(context)
      return throwApiError('not_found')
    },

    'POST /outboundSMS': async (context) => {
      await checkAccess(context)
      const { provider } = context.body
      return throwApiError(
        'no_sms_provider',
        provider
          ? { msg: `rejecting outgoingSms request for unknown or badly configured provider ${provider}` }
          : undefined,
      )
    },
  }
}
