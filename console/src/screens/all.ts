import type { Screen } from '../page/screen.ts'
import { accountScreens } from './accounts/screens.ts'
import { auditTrail } from './audit-trail/screens.ts'
import { createPassword } from './create-password/screens.ts'
import { forgotPassword } from './forgot-password/screens.ts'
import { recentCalls } from './recent-calls/screens.ts'
import { resetPassword } from './reset-password/screens.ts'
import { settings } from './settings/screens.ts'
import { signIn } from './sign-in/screens.ts'
import { userScreens } from './users/screens.ts'

/** Every screen there is, in the order of the menu. */
export const screens: readonly Screen[] = [
  signIn,
  createPassword,
  forgotPassword,
  resetPassword,
  ...userScreens,
  settings,
  ...accountScreens,
  recentCalls,
  auditTrail,
]
