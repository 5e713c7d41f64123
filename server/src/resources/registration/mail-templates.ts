import type { MailMessage } from '../../adapters/mail/mail.ts'

/** Mails to people who register. Only the owner of an address learns whether it already has an account. */

export const createCodeMail = (to: string, code: string): MailMessage => ({
  to,
  subject: 'Account activation code',
  text: [
    `Your activation code is ${code}.`,
    'It confirms that this address is yours, for half an hour. Type it where you were asked for it, and nowhere else.',
    'If you did not ask for it, there is nothing to do: without the code nothing happens.',
  ].join('\n\n'),
})

export const createExistingAccountMail = (to: string, provider: string): MailMessage => ({
  to,
  subject: 'You have an account already',
  text: [
    'Somebody asked to register with this address, which has an account already. Nothing was changed.',
    provider === 'local'
      ? 'If it was you, sign in with this address and your password.'
      : `If it was you, sign in with ${provider}.`,
    'If it was not you, there is nothing to do.',
  ].join('\n\n'),
})
