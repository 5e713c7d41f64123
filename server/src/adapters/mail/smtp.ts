import { createTransport } from 'nodemailer'
import type { SmtpAddress } from '../../config/configuration.ts'
import { connectFor } from '../outbound-http/timed-socket.ts'
import { kibibyte } from '../outbound-http/transport.ts'
import type { Mail } from './mail.ts'

const second = 1000
/** Time limit for one mail, from connecting until the server has accepted it. */
const mailTimeoutMs = 30 * second
const maxResponseSize = 64 * kibibyte
const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

const getPort = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'smtps:' ? 465 : 587) : Number(port))

/**
 * Sends mail through an SMTP server, over a new connection for each mail. A password is sent to another host only over
 * TLS.
 * @param timeoutMs time after which a connection is closed; tests use less
 */
export const createSmtpMail = ({ url, ca, from }: SmtpAddress, timeoutMs = mailTimeoutMs): Mail => {
  const address = new URL(url)
  const { username, hostname } = address
  const transport = createTransport({
    url,
    ...(ca === undefined ? {} : { tls: { ca } }),
    requireTLS: username !== '' && !loopback.has(hostname),
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
    async send({ to, subject, text, unsubscribe }) {
      const list = unsubscribe === undefined ? {} : { list: { unsubscribe } }
      // Passed as an object, because a string would be parsed as a list of addresses.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, ...list })
    },
  }
}
