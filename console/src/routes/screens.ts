import type { Screen } from './define-screen.ts'
import { accountScreens } from './accounts.ts'
import { destinationScreens } from './alert-destinations.ts'
import { alertMails } from './alert-subscription.ts'
import { alerts } from './alerts.ts'
import { applicationScreens } from './applications.ts'
import { auditTrail } from './audit-trail.ts'
import { callQuality } from './call-quality.ts'
import { carrierScreens } from './carriers.ts'
import { clientScreens } from './clients.ts'
import { createPassword } from './create-password.ts'
import { forgotPassword } from './forgot-password.ts'
import { inboundExplainer } from './inbound-explainer.ts'
import { routingScreens } from './lcr.ts'
import { liveCalls } from './live-calls.ts'
import { phoneNumberScreens } from './phone-numbers.ts'
import { teamsTenantScreens } from './ms-teams-tenants.ts'
import { oneCall, recentCalls } from './recent-calls.ts'
import { resetPassword } from './reset-password.ts'
import { settings } from './settings.ts'
import { signIn } from './sign-in.ts'
import { speechScreens } from './speech-services.ts'
import { userScreens } from './users.ts'

/** All screens, in the order of the menu. */
export const screens: readonly Screen[] = [
  signIn,
  createPassword,
  forgotPassword,
  resetPassword,
  alertMails,
  ...userScreens,
  settings,
  ...accountScreens,
  ...clientScreens,
  ...applicationScreens,
  liveCalls,
  recentCalls,
  oneCall,
  callQuality,
  alerts,
  ...destinationScreens,
  auditTrail,
  ...carrierScreens,
  ...speechScreens,
  ...phoneNumberScreens,
  ...teamsTenantScreens,
  ...routingScreens,
  inboundExplainer,
]
