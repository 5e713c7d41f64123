import type { Letter } from '../../adapters/mail/mail.ts'

/** The mails to one who registers. Whether the address has an account already only its owner reads. */

export const codeLetter = (to: string, code: string): Letter => ({
  to,
  subject: 'Account activation code',
  text: [
    `Your activation code is ${code}.`,
    'It confirms that this address is yours, for half an hour. Type it where you were asked for it, and nowhere else.',
    'If you did not ask for it, there is nothing to do: without the code nothing happens.',
  ].join('\n\n'),
})

export const knownLetter = (to: string, provider: string): Letter => ({
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
