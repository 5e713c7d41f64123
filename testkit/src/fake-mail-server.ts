import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { getPort } from './ports.ts'

/** An SMTP server on 127.0.0.1 that accepts every mail. */

export interface Received {
  /** Envelope addresses, which can differ from the headers of the mail. */
  from: string
  to: readonly string[]
  /** The complete message with its headers. */
  text: string
  /** True if the connection used TLS. */
  secure: boolean
}

export interface MailServer {
  /** Value for SMTP_URL. */
  url: string
  received: readonly Received[]
  /** Resolves with the next mail, which can have arrived since the previous call. */
  next(): Promise<Received>
  /** Number of authentication attempts. */
  signIns(): number
  stop(): Promise<void>
}

const credentials = { username: 'patchbay', password: 'mail-password' }

/** Decodes quoted-printable text (RFC 2045 §6.7) with ASCII characters. */
const readable = (raw: string): string =>
  raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))

/**
 * Enables TLS from the start or after STARTTLS, with the certificate in two files. If absent, the server has no TLS.
 */
interface Tls {
  tls: 'smtps' | 'starttls'
  cert: string
  key: string
}

const tlsOptions = ({ tls, cert, key }: Tls) => ({
  secure: tls === 'smtps',
  cert: readFileSync(cert),
  key: readFileSync(key),
})

export const startMailServer = async (tls?: Tls): Promise<MailServer> => {
  const received: Received[] = []
  const waiting: ((mail: Received) => void)[] = []
  let taken = 0
  let signIns = 0
  const smtp = new SMTPServer({
    logger: false,
    closeTimeout: 1000,
    ...(tls ? tlsOptions(tls) : { disabledCommands: ['STARTTLS'] }),
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, answer) {
      signIns += 1
      if (username === credentials.username && password === credentials.password) answer(null, { user: username })
      else answer(new Error('wrong user or password'))
    },
    onData: (stream, { envelope: { mailFrom, rcptTo }, secure }, answer) => {
      const take = async () => {
        const from = mailFrom ? mailFrom.address : ''
        const mail = { from, to: rcptTo.map(({ address }) => address), text: readable(await text(stream)), secure }
        received.push(mail)
        const next = waiting.shift()
        if (next) {
          taken += 1
          next(mail)
        }
        answer()
      }
      void take()
    },
  })
  // Clients that reject the certificate close the connection, which is not an error here.
  smtp.on('error', () => {})
  const listening = smtp.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { username, password } = credentials
  return {
    url: `${tls?.tls === 'smtps' ? 'smtps' : 'smtp'}://${username}:${password}@127.0.0.1:${getPort(listening)}`,
    received,
    signIns: () => signIns,
    next() {
      const mail = received[taken]
      if (mail === undefined) return new Promise((resolve) => waiting.push(resolve))
      taken += 1
      return Promise.resolve(mail)
    },
    stop: () => new Promise((resolve) => smtp.close(() => resolve())),
  }
}
