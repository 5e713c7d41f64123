import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Configuration } from '../../config/configuration.ts'

/** Links with which whoever gets mails with alerts stops them: signed, so that nothing need be kept of them. */

/** Where the console is asked for something by the link of a mail. */
export interface StopLink {
  url: string
  /** not a path alone, as it is where nobody said where the console is reached */
  isWhole: boolean
}

export interface Mailbox {
  alert_destination_sid: string
  target: string
}

export interface StopLinks {
  of(mailbox: Mailbox): StopLink
  /** the destination that a link names, whoever made it */
  named(link: string): string
  /** whether it is ours, for the address that the destination has now */
  isRight(link: string, mailbox: Mailbox): boolean
}

/** A page of the console, for one who has nothing but the link. */
export const pageOfMail = (publicUrl: string | null, act: 'confirm' | 'stop', link: string): StopLink => ({
  url: `${publicUrl ?? ''}/alert-mails/${act}/${link}`,
  isWhole: publicUrl !== null,
})

export const createStopLinks = ({
  jwtSecret,
  publicUrl,
}: Pick<Configuration, 'jwtSecret' | 'publicUrl'>): StopLinks => {
  const key = createHmac('sha256', jwtSecret).update('patchbay stop links').digest()
  const linkTo = ({ alert_destination_sid, target }: Mailbox): string => {
    const mark = createHmac('sha256', key).update(`${alert_destination_sid} ${target}`).digest('base64url')
    return `${alert_destination_sid}.${mark}`
  }
  return {
    of: (mailbox) => pageOfMail(publicUrl, 'stop', linkTo(mailbox)),
    named: (link) => link.split('.', 1)[0] ?? '',
    isRight(link, mailbox) {
      const [given, right] = [Buffer.from(link), Buffer.from(linkTo(mailbox))]
      return given.length === right.length && timingSafeEqual(given, right)
    },
  }
}
