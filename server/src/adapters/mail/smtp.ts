import { createTransport } from 'nodemailer'
import type { SmtpAddress } from '../../config/settings/mail-settings.ts'
import { observeOutgoing } from '../outbound-http/observe-outgoing.ts'
import { connectFor } from '../outbound-http/timed-socket.ts'
import { kibibyte } from '../outbound-http/transport.ts'
import { type Mail, MailRejectedError } from './mail.ts'
import { renderHtml } from './render-html.ts'
import { renderText } from './render-text.ts'

const second = 1000
/** Time limit for one email, from connecting until the server has accepted it. */
const mailTimeoutMs = 30 * second
const maxResponseSize = 64 * kibibyte
const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

const getPort = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'smtps:' ? 465 : 587) : Number(port))

/** Error of the SMTP client, with the command that failed and the response code of the server. */
interface SmtpError extends Error {
  command?: string
  responseCode?: number
}

/**
 * A negative response to these commands concerns one email. Errors of other commands, such as a wrong password, concern
 * all emails until the operator fixes the settings.
 */
const commandsOfOneMail = new Set(['RCPT TO', 'DATA'])
/** Lowest response code of a permanent failure (RFC 5321 §4.2.1). */
const permanentFailure = 500

/** Converts a permanent rejection of one email to MailRejectedError. Returns other errors unchanged. */
const toMailError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  const { command = '', responseCode = 0 }: SmtpError = error
  const isRejected = commandsOfOneMail.has(command) && responseCode >= permanentFailure
  return isRejected ? new MailRejectedError(error.message, { cause: error }) : error
}

/**
 * Sends emails through an SMTP server as text and HTML, over a new connection for each email. A password is sent to
 * another host only over TLS.
 * @param publicUrl address of the console, or null if it is not configured
 * @param timeoutMs time after which a connection is closed; tests use less
 */
export const createSmtpMail = (
  { url, ca, from }: SmtpAddress,
  publicUrl: string | null,
  timeoutMs = mailTimeoutMs,
): Mail => {
  const address = new URL(url)
  const { username, hostname } = address
  const transport = createTransport({
    url,
    ...(ca === undefined ? {} : { tls: { ca } }),
    // With a CA the operator expects TLS. Without it, a host in between could remove STARTTLS from the responses and read the emails.
    requireTLS: ca !== undefined || (username !== '' && !loopback.has(hostname)),
    greetingTimeout: 10 * second,
    socketTimeout: 20 * second,
    maxResponseSize,
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket: (_options, callback) => {
      const host = hostname.replace(/^\[|\]$/g, '')
      connectFor(timeoutMs, { port: getPort(address), host }, (error, connection) =>
        callback(error, connection && { connection }),
      )
    },
  })
  return {
    async check() {
      await transport.verify()
    },
    async send(message) {
      const { to, unsubscribePath } = message
      try {
        const send = () =>
          transport.sendMail({
            from,
            // Passed as an object, because a string would be parsed as a list of addresses.
            to: { name: '', address: to },
            subject: message.subject.replaceAll(/\p{Cc}+/gu, ' '),
            text: renderText(message, publicUrl),
            html: renderHtml(message, publicUrl),
            textEncoding: 'quoted-printable',
            ...(publicUrl === null || unsubscribePath === undefined
              ? {}
              : { list: { unsubscribe: publicUrl + unsubscribePath } }),
          })
        await observeOutgoing({ url: new URL(url), service: 'smtp' }, send)
      } catch (error) {
        throw toMailError(error)
      }
    },
  }
}
