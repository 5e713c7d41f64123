import type { FastifyBaseLogger } from 'fastify'

/** A mail in plain text to one address. */
export interface MailMessage {
  to: string
  subject: string
  text: string
  /** Address for unsubscribing (RFC 2369 §3.2). */
  unsubscribe?: string
}

/** Sends mails. */
export interface Mail {
  /** Throws if the mail server does not accept the mail within about twenty seconds. */
  send(letter: MailMessage): Promise<void>
}

export const disabledMail: Mail = { send: () => Promise.reject(new Error('no mail server is configured')) }

/** Used without a mail server: logs every mail, so that the operator can forward it. */
export const createOutbox = (log: FastifyBaseLogger): Mail => ({
  send({ to, subject, text }) {
    log.info({ to, subject, text }, 'SMTP_URL is not set, so a mail is logged instead of sent')
    return Promise.resolve()
  },
})
