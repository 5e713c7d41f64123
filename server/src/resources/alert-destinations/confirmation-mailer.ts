import type { AlertDestination } from '@patchbay/contract/alert-destinations'
import { throwApiError } from '@patchbay/contract/api/errors'
import { type MailMessage, sendInTime } from '../../adapters/mail/mail.ts'
import { normalizeMailbox, tryConsume } from '../../auth/counters/counters.ts'
import { createSubscriptionPath } from '../../call-data/alerts/unsubscribe-links.ts'
import { auditActor } from '../../database/audit-trail.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { guaranteedShare } from '../shared/tenant-quota.ts'
import { createAddressLink, recordSendTime } from './address-confirmation.ts'

/** Mails that ask the owner of an address to confirm it for alerts. Nothing else is sent to unconfirmed addresses. */

const hour = 3600
const failureMessage = 'a confirmation email could not be sent'

/**
 * Maximum mails per hour. Tenants have limits too, because they can create any number of users, keys, and destinations.
 */
export const maxConfirmations = { destination: 5, mailbox: 4, caller: 60, account: 20, provider: 100 }

/**
 * Creates the mail. It contains no text that a user has entered, so that it cannot be abused to send messages to
 * strangers.
 */
export const createConfirmationMail = (to: string, link: string): MailMessage => ({
  to,
  subject: 'Confirm this address for alerts',
  summary:
    'A user of Patchbay wants to send alerts to this address. Confirm the address to receive them. The link works once and expires after three days.',
  action: { label: 'Confirm address', path: createSubscriptionPath('confirm', link) },
  notes: ['If you did not expect this email, ignore it. You receive no alerts unless you confirm.'],
  reason: 'You receive this email because a user of Patchbay entered your address for alerts.',
})

export const createConfirmationMails = ({
  database,
  counters,
  mail,
  backgroundTasks,
  trail,
  onBackgroundError,
}: Services) => {
  /**
   * Counts a mail against the guaranteed share of an account, which does not depend on other accounts of its provider.
   */
  const consumeGuaranteedShare = async (account_sid: string | null): Promise<boolean> =>
    account_sid !== null &&
    (await tryConsume(counters, {
      counter: `alert-address:share:${account_sid}`,
      max: guaranteedShare(maxConfirmations.account),
      seconds: hour,
    }))

  /**
   * Counts a mail against all limits. The mailbox comes last, so that rejected requests do not use up the limit of the
   * mailbox.
   */
  const consumeMail = async (actor: Caller, destination: AlertDestination): Promise<boolean> => {
    const { alert_destination_sid, account_sid, service_provider_sid, target } = destination
    const counterKeys: Readonly<Record<keyof typeof maxConfirmations, string | null>> = {
      destination: alert_destination_sid,
      caller: `${actor.token} ${actor.sid ?? ''}`,
      account: account_sid,
      provider: service_provider_sid,
      mailbox: normalizeMailbox(target),
    }
    const consume = (what: keyof typeof maxConfirmations) =>
      tryConsume(counters, {
        counter: `alert-address:${what}:${counterKeys[what] ?? ''}`,
        max: maxConfirmations[what],
        seconds: hour,
      })
    for (const what of ['destination', 'caller', 'account'] as const)
      if (counterKeys[what] !== null && !(await consume(what))) return false
    if (!(await consumeGuaranteedShare(account_sid)) && counterKeys.provider !== null && !(await consume('provider')))
      return false
    return consume('mailbox')
  }

  const send = async (actor: Caller, destination: AlertDestination): Promise<void> => {
    const { alert_destination_sid: sid, account_sid, service_provider_sid, target, name } = destination
    const link = await createAddressLink(database, destination)
    if (link === undefined) return
    await sendInTime(mail, createConfirmationMail(target, link))
    await recordSendTime(database, link)
    const owner = { account_sid, service_provider_sid }
    trail.note({ action: 'create', kind: 'confirmation_link', sid, name, ...auditActor(actor), owner, reason: null })
  }

  return {
    /**
     * Sends a confirmation mail before the response. Rejects if none is needed, if there were too many, or if the mail
     * server did not accept it.
     */
    async sendNow(actor: Caller, destination: AlertDestination): Promise<void> {
      if (destination.is_confirmed) throwApiError('nothing_to_confirm')
      if (!(await consumeMail(actor, destination))) throwApiError('too_many_requests')
      await send(actor, destination).catch((error: unknown) => {
        onBackgroundError(error, failureMessage)
        throwApiError('email_not_sent')
      })
    },
    /**
     * Sends a confirmation mail after the response if the address is unconfirmed. The destination shows whether the
     * mail has been sent.
     */
    sendInBackground(actor: Caller, destination: AlertDestination): void {
      if (destination.is_confirmed) return
      backgroundTasks.begin(failureMessage, async () => {
        if (await consumeMail(actor, destination)) await send(actor, destination)
      })
    },
  }
}
