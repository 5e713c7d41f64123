import type { FastifyBaseLogger } from 'fastify'
import type { Mail } from './mail.ts'
import { renderText } from './render-text.ts'

/** Used without a mail server: logs every email, so that the operator can forward it. */
export const createOutbox = (log: FastifyBaseLogger, publicUrl: string | null): Mail => ({
  send(message) {
    const { to, subject } = message
    log.info(
      { to, subject, text: renderText(message, publicUrl) },
      'SMTP_URL is not set, so an email is logged instead of sent',
    )
    return Promise.resolve()
  },
})
