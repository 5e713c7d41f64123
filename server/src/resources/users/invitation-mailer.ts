import { throwApiError } from '@patchbay/contract/api/errors'
import { dayMs } from '@patchbay/contract/shared/durations'
import { isEmail } from '@patchbay/rules/identity/emails'
import { type MailMessage, sendInTime } from '../../adapters/mail/mail.ts'
import { normalizeMailbox, tryConsume } from '../../auth/counters/counters.ts'
import { toScopedOwner } from '../../auth/principals.ts'
import { createResetLink, findActiveUser } from '../../auth/reset-links.ts'
import { auditActor } from '../../database/audit-trail.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'

/** Mails that invite users to choose a password. */

const invitationSeconds = (3 * dayMs) / 1000
const hour = 3600
const failureMessage = 'an invitation could not be sent'

/** Maximum mails per hour. Callers can create any number of users, so they have a limit too. */
export const maxInvitations = { mailbox: 10, caller: 100 }

/**
 * Creates the mail. It contains no text that a user has entered, so that it cannot be abused to send messages to
 * strangers. The page behind the link shows the user name.
 */
const createInvitationMail = (to: string, link: string): MailMessage => ({
  to,
  subject: 'Choose a password for Patchbay',
  summary:
    'An administrator created a Patchbay user for you. Choose a password to sign in. The link works once and expires after three days.',
  action: { label: 'Choose a password', path: `/reset-password/${link}` },
  notes: ['If you did not expect this email, ignore it.'],
  reason: 'You receive this email because an administrator entered your address for a Patchbay user.',
})

export const createInvitationMailer = ({
  configuration: { passwordReset },
  database,
  counters,
  mail,
  trail,
  onBackgroundError,
}: Services) => {
  const consumeMail = async (actor: Caller, email: string): Promise<boolean> =>
    (await tryConsume(counters, {
      counter: `invitation:caller:${actor.token} ${actor.sid ?? ''}`,
      max: maxInvitations.caller,
      seconds: hour,
    })) &&
    tryConsume(counters, {
      counter: `invitation:mailbox:${normalizeMailbox(email)}`,
      max: maxInvitations.mailbox,
      seconds: hour,
    })

  return {
    /** @throws ApiError `not_found` unless links for passwords can be mailed */
    requireMail(): void {
      if (passwordReset === null) throwApiError('not_found')
    },
    /** @throws ApiError `too_many_requests` */
    async countMail(actor: Caller, email: string): Promise<void> {
      if (!(await consumeMail(actor, email))) throwApiError('too_many_requests')
    },
    /**
     * Sends a new link to a user. Returns whether the mail server has accepted the email.
     * @throws ApiError `user_not_invitable` if the user is not active, has another sign-in provider, or has no valid
     * address
     */
    async send(actor: Caller, user_sid: string): Promise<boolean> {
      const user = await findActiveUser(database, user_sid)
      if (user === undefined || user.provider !== 'local' || !isEmail(user.email))
        return throwApiError('user_not_invitable')
      const link = await createResetLink(database, user, invitationSeconds)
      try {
        await sendInTime(mail, createInvitationMail(user.email, link))
      } catch (error) {
        onBackgroundError(error, failureMessage)
        return false
      }
      const { account_sid, service_provider_sid } = toScopedOwner(user)
      const event = { action: 'create', kind: 'reset_link', sid: user_sid, name: user.name } as const
      trail.note({ ...event, ...auditActor(actor), owner: { account_sid, service_provider_sid }, reason: null })
      return true
    },
  }
}
