import type { Screen } from './define-screen.ts'
import { oauthCallback } from './oauth-callback.ts'
import { registerScreens } from './register.ts'
import { editSipRealm } from './sip-realm.ts'
import { subscriptionScreens } from './subscription.ts'

/** The screens of hosted installations, of which others load nothing. */
export const hostedScreens: readonly Screen[] = [
  ...registerScreens,
  oauthCallback,
  editSipRealm,
  ...subscriptionScreens,
]
