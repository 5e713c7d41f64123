import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { getPort } from './ports.ts'

/** A mail server on 127.0.0.1 which takes whatever it is given. */

export interface Received {
  /** whom the sender named to the server, whatever the mail itself says */
  from: string
  to: readonly string[]
  /** with its headers */
  text: string
  /** by TLS */
  secure: boolean
}

export interface MailServer {
  /** a setting for SMTP_URL */
  url: string
  received: readonly Received[]
  /** the next that comes, or came since the last call */
  next(): Promise<Received>
  /** how often somebody has said a user and a password */
  signIns(): number
  stop(): Promise<void>
}

const credentials = { username: 'patchbay', password: 'mail-password' }

/** Quoted-printable (RFC 2045 §6.7), of letters that are in ASCII. */
const readable = (raw: string): string =>
  raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))

/** TLS from the start or once it is asked for, with the certificate of two files; none: without TLS. */
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
  // Who hangs up over its certificate is no fault of the server.
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
