import { isEmail } from '@patchbay/rules/identity/emails'
import { formatSignInProvider } from '@patchbay/rules/identity/sign-in-providers'
import type { MailMessage } from '../../adapters/mail/mail.ts'
import { normalizeMailbox, tryConsume } from '../../auth/counters/counters.ts'
import { toScopedOwner } from '../../auth/principals.ts'
import { createResetLink, findByEmail, type UserWithAddress } from '../../auth/reset-links.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import type { Services } from '../services.ts'

/**
 * Password reset mails. All work happens after the response, so that the response time does not reveal whether a user
 * exists.
 */

export interface LinkRequest {
  email: string
  address: string
  request_id: string
}

const hour = 3600
/** Mails per address and hour, and requests per network and hour. */
const maxMails = 3
const maxRequests = 60

const failureMessage = 'an email to reset a password could not be sent'

const subject = 'Reset password request'

const reason = 'You receive this email because someone requested a password reset for your Patchbay user.'

const createLinkMail = (to: string, link: string): MailMessage => ({
  to,
  subject,
  summary: 'Set a new password for your Patchbay user. The link works once and expires after one hour.',
  action: { label: 'Set a new password', path: `/reset-password/${link}` },
  notes: ['If you did not request this, ignore this email. Your password is unchanged.'],
  reason,
})

const createExternalProviderMail = (to: string, provider: string): MailMessage => ({
  to,
  subject,
  summary: `You sign in to Patchbay with ${formatSignInProvider(provider)}, so Patchbay stores no password for you. Change your password there.`,
  action: { label: 'Sign in', path: '/' },
  notes: ['If you did not request this, ignore this email.'],
  reason,
})

export const createLinkSender = ({
  configuration: { passwordReset },
  database,
  counters,
  backgroundMail,
  trail,
  backgroundTasks,
}: Services) => {
  const createMail = async (user: UserWithAddress): Promise<MailMessage> =>
    user.provider === 'local'
      ? createLinkMail(user.email, await createResetLink(database, user))
      : createExternalProviderMail(user.email, user.provider)

  const send = async ({ email, address, request_id }: LinkRequest): Promise<void> => {
    if (
      !(await tryConsume(counters, { counter: `reset:email:${normalizeMailbox(email)}`, max: maxMails, seconds: hour }))
    )
      return
    const user = await findByEmail(database, email)
    // Databases may treat different addresses as equal, so the mail is sent to the address in the user's row.
    if (user === undefined || !isEmail(user.email)) return
    await backgroundMail.send(await createMail(user), failureMessage, () => {
      const { account_sid, service_provider_sid } = toScopedOwner(user)
      const event = { action: 'create', kind: 'reset_link', sid: user.user_sid, name: user.name } as const
      const owner = { account_sid, service_provider_sid }
      trail.note({ ...event, caller: undefined, address, request_id, owner, reason: null })
    })
  }

  return {
    /** Counts a request. Returns false if the network has exceeded its limit. */
    consumeRequest: (address: string) =>
      tryConsume(counters, { counter: `reset:address:${toClientNetwork(address)}`, max: maxRequests, seconds: hour }),
    sendInBackground(request: LinkRequest): void {
      if (passwordReset === null) return
      backgroundTasks.begin(failureMessage, () => send(request))
    },
  }
}
