import type { FastifyBaseLogger } from 'fastify'
import type { Mail } from './mail.ts'

/** Used without a mail server: logs every mail, so that the operator can forward it. */
export const createOutbox = (log: FastifyBaseLogger): Mail => ({
  send({ to, subject, text }) {
    log.info(`SMTP_URL is not set, so this mail waits here for the operator. To: ${to}. Subject: ${subject}. ${text}`)
    return Promise.resolve()
  },
})
