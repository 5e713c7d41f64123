import type { AlertDestination } from '@patchbay/contract/alert-destinations'
import { throwApiError } from '@patchbay/contract/errors'
import type { Caller } from '../../lib/caller.ts'
import { createConsoleLink } from '../../call-data/alerts/unsubscribe-links.ts'
import { normalizeMailbox, tryConsume } from '../../auth/counters/counters.ts'
import type { Letter } from '../../adapters/mail/mail.ts'
import type { Services } from '../services.ts'
import { guaranteedShare } from '../shared/tenant-quota.ts'
import { auditActor } from '../../database/audit-trail.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { makeAddressLink, markSent } from './address-confirmation.ts'

/** The mail that asks whether alerts may be sent to an address: the one thing that is sent to whoever has not said so. */

const hour = 3600
const mailSeconds = 25
const lost = 'a mail that asks for the confirmation of an address could not be sent'

/** Mails in an hour. Tenants have them, too, since they could have any number of users, keys and destinations. */
export const maxConfirmations = { destination: 5, mailbox: 4, caller: 60, account: 20, provider: 100 }

/** Nothing of it is what somebody has typed: whoever asks has no words to say to strangers. */
export const confirmationLetter = (to: string, publicUrl: string | null, link: string): Letter => {
  const { url, isAbsolute: isWhole } = createConsoleLink(publicUrl, 'confirm', link)
  const how = isWhole ? 'open this link' : 'open this page of your Patchbay'
  return {
    to,
    subject: 'Confirm this address for alerts',
    text: [
      `Somebody who works with Patchbay${isWhole ? ` at ${publicUrl}` : ''} asks to have alerts sent to this address.`,
      `To get them, ${how}, and confirm there. It works once, and for three days:\n\n${url}`,
      'If you know nothing of it, there is nothing to do: nothing else is sent to you.',
    ].join('\n\n'),
  }
}

export const createConfirmationMails = ({
  configuration: { publicUrl },
  database,
  counters,
  mail,
  afterwards,
  trail,
  onBackgroundError,
}: Services) => {
  /** A part of an account's mails does not depend on what other accounts of its provider send. */
  const hasShare = async (account_sid: string | null): Promise<boolean> =>
    account_sid !== null &&
    (await tryConsume(counters, {
      counter: `alert-address:share:${account_sid}`,
      max: guaranteedShare(maxConfirmations.account),
      seconds: hour,
    }))

  /** The mailbox last, so that nobody uses up what others may be sent. */
  const isWithin = async (actor: Caller, destination: AlertDestination): Promise<boolean> => {
    const { alert_destination_sid, account_sid, service_provider_sid, target } = destination
    const counted: Readonly<Record<keyof typeof maxConfirmations, string | null>> = {
      destination: alert_destination_sid,
      caller: `${actor.token} ${actor.sid ?? ''}`,
      account: account_sid,
      provider: service_provider_sid,
      mailbox: normalizeMailbox(target),
    }
    const mayCount = (what: keyof typeof maxConfirmations) =>
      tryConsume(counters, {
        counter: `alert-address:${what}:${counted[what] ?? ''}`,
        max: maxConfirmations[what],
        seconds: hour,
      })
    for (const what of ['destination', 'caller', 'account'] as const)
      if (counted[what] !== null && !(await mayCount(what))) return false
    if (!(await hasShare(account_sid)) && counted.provider !== null && !(await mayCount('provider'))) return false
    return mayCount('mailbox')
  }

  const send = async (actor: Caller, destination: AlertDestination): Promise<void> => {
    const { alert_destination_sid: sid, account_sid, service_provider_sid, target, name } = destination
    const link = await makeAddressLink(database, destination)
    if (link === undefined) return
    const late = () => new Error('the mail server did not take the mail in time')
    await withTimeout(mail.send(confirmationLetter(target, publicUrl, link)), mailSeconds, late)
    await markSent(database, link)
    const owner = { account_sid, service_provider_sid }
    trail.note({ action: 'create', kind: 'confirmation_link', sid, name, ...auditActor(actor), owner, reason: null })
  }

  return {
    /** Sends it now. Refuses where none is needed, where there were too many, and where it could not be handed over. */
    async sendNow(actor: Caller, destination: AlertDestination): Promise<void> {
      if (destination.is_confirmed) throwApiError('needs_no_confirmation')
      if (!(await isWithin(actor, destination))) throwApiError('too_many_requests')
      await send(actor, destination).catch((error: unknown) => {
        onBackgroundError(error, lost)
        throwApiError('mail_not_taken')
      })
    },
    /** After the answer, if an address has to be asked; what then was not sent the destination shows. */
    sendSoon(actor: Caller, destination: AlertDestination): void {
      if (destination.is_confirmed) return
      afterwards.begin(lost, async () => {
        if (await isWithin(actor, destination)) await send(actor, destination)
      })
    },
  }
}
