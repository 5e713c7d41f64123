import type { Screen } from '../page/screen.ts'
import { accountScreens } from './accounts/screens.ts'
import { destinationScreens } from './alert-destinations/screens.ts'
import { alertMails } from './alert-mails/screens.ts'
import { alerts } from './alerts/screens.ts'
import { applicationScreens } from './applications/screens.ts'
import { auditTrail } from './audit-trail/screens.ts'
import { callQuality } from './call-quality/screens.ts'
import { carrierScreens } from './carriers/screens.ts'
import { clientScreens } from './clients/screens.ts'
import { createPassword } from './create-password/screens.ts'
import { forgotPassword } from './forgot-password/screens.ts'
import { inboundExplainer } from './inbound-explainer/screens.ts'
import { routingScreens } from './least-cost-routing/screens.ts'
import { liveCalls } from './live-calls/screens.ts'
import { phoneNumberScreens } from './phone-numbers/screens.ts'
import { teamsTenantScreens } from './ms-teams-tenants/screens.ts'
import { oneCall, recentCalls } from './recent-calls/screens.ts'
import { resetPassword } from './reset-password/screens.ts'
import { settings } from './settings/screens.ts'
import { signIn } from './sign-in/screens.ts'
import { speechScreens } from './speech-services/screens.ts'
import { userScreens } from './users/screens.ts'

/** Every screen there is, in the order of the menu. */
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
