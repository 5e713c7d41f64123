import { createTransport } from 'nodemailer'
import type { SmtpAddress } from '../../config/configuration.ts'
import { connectFor } from '../outbound-http/timed-socket.ts'
import { kibibyte } from '../outbound-http/transport.ts'
import type { Mail } from './mail.ts'

const second = 1000
/** One mail, from the connection until the server has accepted it. */
const mailTimeoutMs = 30 * second
const maxResponseSize = 64 * kibibyte
const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'smtps:' ? 465 : 587) : Number(port))

/**
 * Sends mails by a server, with a connection for each. A password is not sent in the clear to another machine.
 *
 * @param timeoutMs after which a connection is closed; tests wait for less
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
      connectFor(timeoutMs, { port: portOf(address), host }, (error, connection) =>
        callback(error, connection && { connection }),
      )
    },
  })
  return {
    async send({ to, subject, text, unsubscribe }) {
      const list = unsubscribe === undefined ? {} : { list: { unsubscribe } }
      // As an object: a text would be read as a list of addresses.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, ...list })
    },
  }
}
