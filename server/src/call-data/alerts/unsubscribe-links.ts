import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Configuration } from '../../config/configuration.ts'

/** Unsubscribe links in alert emails. The links are signed, so that the server does not have to store them. */

export interface Mailbox {
  alert_destination_sid: string
  target: string
}

export interface UnsubscribeLinks {
  /** Returns the path of the console page for unsubscribing. */
  createPath(mailbox: Mailbox): string
  /** Returns the destination that a link names, without checking the signature. */
  getDestinationSid(link: string): string
  /** Returns whether the signature of a link is valid for the current address of the destination. */
  isValid(link: string, mailbox: Mailbox): boolean
}

/** Returns the path of a console page that works without a session. */
export const createSubscriptionPath = (action: 'confirm' | 'stop', link: string): string =>
  `/alert-mails/${action}/${link}`

/**
 * Creates and verifies links for unsubscribing from alert mails. They are signed with a key that is derived from the
 * JWT secret.
 */
export const createUnsubscribeLinks = ({ jwtSecret }: Pick<Configuration, 'jwtSecret'>): UnsubscribeLinks => {
  const key = createHmac('sha256', jwtSecret).update('patchbay stop links').digest()
  const sign = ({ alert_destination_sid, target }: Mailbox): string => {
    const signature = createHmac('sha256', key).update(`${alert_destination_sid} ${target}`).digest('base64url')
    return `${alert_destination_sid}.${signature}`
  }
  return {
    createPath: (mailbox) => createSubscriptionPath('stop', sign(mailbox)),
    getDestinationSid: (link) => link.split('.', 1)[0] ?? '',
    isValid(link, mailbox) {
      const [actual, expected] = [Buffer.from(link), Buffer.from(sign(mailbox))]
      return actual.length === expected.length && timingSafeEqual(actual, expected)
    },
  }
}
