import type { MailMessage } from '../../adapters/mail/mail.ts'

/** Mails to people who register. Only the owner of an address learns whether it already has an account. */

export const createCodeMail = (to: string, code: string): MailMessage => ({
  to,
  subject: 'Account activation code',
  text: [
    `Your activation code is ${code}.`,
    'Enter it on the page where you registered to confirm this address. It is valid for 30 minutes. Do not share it.',
    'If you did not request it, ignore this mail. Nothing happens without the code.',
  ].join('\n\n'),
})

export const createExistingAccountMail = (to: string, provider: string): MailMessage => ({
  to,
  subject: 'You already have an account',
  text: [
    'A registration was requested for this address, which already has an account. Nothing was changed.',
    provider === 'local'
      ? 'If it was you, sign in with this address and your password.'
      : `If it was you, sign in with ${provider}.`,
    'If it was not you, ignore this mail.',
  ].join('\n\n'),
})
