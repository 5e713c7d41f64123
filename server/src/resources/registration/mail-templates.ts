import { formatSignInProvider } from '@patchbay/rules/identity/sign-in-providers'
import type { MailMessage } from '../../adapters/mail/mail.ts'

/** Emails to people who register. Only the owner of an address learns whether it already has an account. */

const reason = 'You receive this email because someone registered at Patchbay with your address.'

export const createCodeMail = (to: string, code: string): MailMessage => ({
  to,
  subject: 'Account activation code',
  summary: `Your activation code is ${code}. Enter it on the page where you registered to confirm your email address.`,
  code,
  notes: [
    'The code is valid for 30 minutes. Do not share it.',
    'If you did not register, ignore this email. Nothing happens without the code.',
  ],
  reason,
})

export const createExistingAccountMail = (to: string, provider: string): MailMessage => ({
  to,
  subject: 'You already have an account',
  summary: `A registration was requested for this address, which already has an account. Nothing was changed. If it was you, sign in with ${provider === 'local' ? 'this address and your password' : formatSignInProvider(provider)}.`,
  action: { label: 'Sign in', path: '/' },
  notes: ['If it was not you, ignore this email.'],
  reason,
})
