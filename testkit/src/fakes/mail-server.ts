import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { getPort } from '../servers/ports.ts'

/**
 * An SMTP server on 127.0.0.1. With TLS it requires authentication, like a submission server (RFC 6409). Without TLS it
 * accepts mails without authentication, like a relay, and never accepts a password.
 */

export interface Received {
  /** Envelope addresses, which can differ from the headers of the mail. */
  from: string
  to: readonly string[]
  /** The complete message with its headers. */
  text: string
  /** The HTML part, or an empty string if there is none. */
  html: string
  /** True if the connection used TLS. */
  secure: boolean
}

/** A negative response to a command (RFC 5321 §4.2). */
interface SmtpRejection {
  /** `550` rejects a recipient for good, and `451` defers a mail. */
  responseCode: number
  message: string
}

export interface MailServer {
  /** Value for SMTP_URL. */
  url: string
  /** Returns the rejection of a recipient, if any. */
  rejectRecipient: ((address: string) => SmtpRejection | undefined) | undefined
  /** Defers the next mail once (RFC 5321 §4.2.1). */
  deferNext(): void
  received: readonly Received[]
  /** Resolves with the next mail, which can have arrived since the previous call. */
  next(): Promise<Received>
  /** Number of authentication attempts. */
  signIns(): number
  stop(): Promise<void>
}

/** Default limit of Postfix, in bytes. */
const maxMailBytes = 10_240_000

const credentials = { username: 'patchbay', password: 'mail-password' }

/** Decodes quoted-printable text in UTF-8 (RFC 2045 §6.7). */
const readable = (raw: string): string => {
  const bytes = raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** Returns the HTML part of a multipart message (RFC 2046 §5.1). */
const getHtml = (message: string): string => {
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(message) ?? []
  const part = message.split(`--${boundary}`).find((each) => /^\r?\nContent-Type: text\/html/.test(each)) ?? ''
  return part.slice(part.indexOf('\r\n\r\n') + 4)
}

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
    ...(tls ? tlsOptions(tls) : { disabledCommands: ['STARTTLS', 'AUTH'] }),
    size: maxMailBytes,
    onAuth({ username, password }, _session, answer) {
      signIns += 1
      if (username === credentials.username && password === credentials.password) answer(null, { user: username })
      else answer(new Error('wrong user or password'))
    },
    onRcptTo({ address }, _session, answer) {
      const rejection = server.rejectRecipient?.(address)
      answer(rejection && Object.assign(new Error(rejection.message), rejection))
    },
    onData: (stream, { envelope: { mailFrom, rcptTo }, secure }, answer) => {
      const take = async () => {
        const from = mailFrom ? mailFrom.address : ''
        const raw = await text(stream)
        if (stream.sizeExceeded) {
          answer(Object.assign(new Error('Message exceeds fixed maximum message size'), { responseCode: 552 }))
          return
        }
        const message = readable(raw)
        const mail = { from, to: rcptTo.map(({ address }) => address), text: message, html: getHtml(message), secure }
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
  const user = tls ? `${username}:${password}@` : ''
  const server: MailServer = {
    url: `${tls?.tls === 'smtps' ? 'smtps' : 'smtp'}://${user}127.0.0.1:${getPort(listening)}`,
    rejectRecipient: undefined,
    deferNext() {
      server.rejectRecipient = () => {
        server.rejectRecipient = undefined
        return { responseCode: 451, message: 'Try again later' }
      }
    },
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
  return server
}
