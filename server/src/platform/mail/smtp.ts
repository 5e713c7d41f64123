import { createTransport } from 'nodemailer'
import type { SmtpAddress } from '../../configuration.ts'
import type { Mail } from './mail.ts'

const seconds = 1000
const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Mails by a server, a connection each. A password is not sent in the clear to another machine. */
export const createSmtpMail = ({ url, ca, from }: SmtpAddress): Mail => {
  const { username, hostname } = new URL(url)
  const transport = createTransport({
    url,
    ...(ca === undefined ? {} : { tls: { ca } }),
    requireTLS: username !== '' && !loopback.has(hostname),
    connectionTimeout: 10 * seconds,
    greetingTimeout: 10 * seconds,
    socketTimeout: 20 * seconds,
    dnsTimeout: 10 * seconds,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, subject, text, unsubscribe }) {
      const list = unsubscribe === undefined ? {} : { list: { unsubscribe } }
      // As an object: a text would be read as a list of addresses.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, ...list })
    },
  }
}
