import { oauthCallback } from '../routes/oauth-callback.ts'
import { chooseSubdomain, register, registerByEmail, verifyEmail } from '../routes/register.ts'
import { editSipRealm } from '../routes/sip-realm.ts'
import { managePayment, modifySubscription, upgradeSubscription } from '../routes/subscription.ts'
import { type Page, page } from './pages.ts'

/** The pages that only hosted installations have: registration, sign-in with a provider, subdomains, and payment. */
export const hostedPages: readonly Page[] = [
  page(register, () => import('../screens/register/screen.tsx')),
  page(registerByEmail, () => import('../screens/register/by-email.tsx')),
  page(verifyEmail, () => import('../screens/register/verify-email.tsx')),
  page(chooseSubdomain, () => import('../screens/register/choose-subdomain.tsx')),
  page(oauthCallback, () => import('../screens/oauth-callback/screen.tsx')),
  page(editSipRealm, () => import('../screens/sip-realm/edit-sip-realm.tsx')),
  page(upgradeSubscription, () => import('../screens/subscription/upgrade.tsx')),
  page(modifySubscription, () => import('../screens/subscription/modify.tsx')),
  page(managePayment, () => import('../screens/subscription/manage-payment.tsx')),
]
