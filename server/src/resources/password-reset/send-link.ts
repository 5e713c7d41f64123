import { isEmail } from '@patchbay/contract/identity/emails'
import { toClientNetwork } from '../../lib/client-network.ts'
import { normalizeMailbox, tryConsume } from '../../auth/counters/counters.ts'
import type { Letter } from '../../adapters/mail/mail.ts'
import type { Services } from '../services.ts'
import { toScopedOwner } from '../../auth/principals.ts'
import { findByEmail, createResetLink, type UserWithAddress } from '../../auth/reset-links.ts'

/** The mail to one who forgot the password. All of it happens after the answer, which so says nothing of whom it knows. */

export interface LinkRequest {
  email: string
  address: string
  request_id: string
}

const hour = 3600
/** Mails to one address in an hour, and requests from one network. */
const maxMails = 3
const maxRequests = 60

const subject = 'Reset password request'

const letterWith = (to: string, publicUrl: string, link: string): Letter => ({
  to,
  subject,
  text: [
    'Somebody asked to reset the password that you have in Patchbay.',
    `To set a new one, open this link. It works once, and for one hour:\n\n${publicUrl}/reset-password/${link}`,
    'If it was not you, there is nothing to do: your password stays as it is.',
  ].join('\n\n'),
})

const letterOfOthers = (to: string, provider: string): Letter => ({
  to,
  subject,
  text: `Somebody asked to reset the password that you have in Patchbay. You sign in with ${provider}, so it is changed there.`,
})

export const createLinkSender = ({
  configuration: { passwordReset },
  database,
  counters,
  mail,
  trail,
  afterwards,
}: Services) => {
  const letterFor = async (user: UserWithAddress, publicUrl: string): Promise<Letter> =>
    user.provider === 'local'
      ? letterWith(user.email, publicUrl, await createResetLink(database, user))
      : letterOfOthers(user.email, user.provider)

  const send = async (publicUrl: string, { email, address, request_id }: LinkRequest): Promise<void> => {
    if (
      !(await tryConsume(counters, { counter: `reset:email:${normalizeMailbox(email)}`, max: maxMails, seconds: hour }))
    )
      return
    const user = await findByEmail(database, email)
    // A database may take several texts for one: the mail goes where the user's own row says.
    if (user === undefined || !isEmail(user.email)) return
    await mail.send(await letterFor(user, publicUrl))
    const { account_sid, service_provider_sid } = toScopedOwner(user)
    const thing = { action: 'create', kind: 'reset_link', sid: user.user_sid, name: user.name } as const
    const owner = { account_sid, service_provider_sid }
    trail.note({ ...thing, caller: undefined, address, request_id, owner, reason: null })
  }

  return {
    /** whether this network may ask still */
    mayAsk: (address: string) =>
      tryConsume(counters, { counter: `reset:address:${toClientNetwork(address)}`, max: maxRequests, seconds: hour }),
    sendSoon(request: LinkRequest): void {
      if (passwordReset === null) return
      const { publicUrl } = passwordReset
      afterwards.begin('a mail to reset a password could not be sent', () => send(publicUrl, request))
    },
  }
}
