import type { Screen } from '../page/screen.ts'
import { oauthCallback } from './oauth-callback/screens.ts'
import { registerScreens } from './register/screens.ts'
import { editSipRealm } from './sip-realm/screens.ts'
import { subscriptionScreens } from './subscription/screens.ts'

/** The screens of hosted installations, of which others load nothing. */
export const hostedScreens: readonly Screen[] = [
  ...registerScreens,
  oauthCallback,
  editSipRealm,
  ...subscriptionScreens,
]
