import { isEmail } from '@patchbay/rules/identity/emails'
import { z } from 'zod'
import { InvalidConfigurationError } from '../invalid-configuration.ts'
import { readNamedFile } from './dependent-settings.ts'
import { markSecret, type Values } from './schemas.ts'

/** The settings of the mail server. */

/**
 * Query parameters are rejected because nodemailer reads settings from them, one of which disables certificate checks.
 */
const isSmtpUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '' && url.search === ''
}

/** `name@host` or `Name <name@host>` */
const isSender = (text: string): boolean => isEmail(/^[^<>]*<([^<>]+)>$/.exec(text)?.[1] ?? text)

export const mailVariables = {
  SMTP_URL: markSecret(
    z
      .string()
      .refine(isSmtpUrl, { error: 'must be smtp://user:password@host:port, or smtps://, without a query' })
      .optional()
      .describe(
        '`smtp://user:password@host:587` or `smtps://…`: the mail server. Unset: emails are written to the log',
      ),
  ),
  SMTP_CA_FILE: z
    .string()
    .optional()
    .describe(
      "PEM file of the CA of the mail server's certificate, if Node.js does not trust it already. With " +
        'it, emails are sent over TLS only',
    ),
  MAIL_FROM: z
    .string()
    .refine(isSender, { error: 'must be name@host, or Name <name@host>' })
    .optional()
    .describe('Sender of emails, `Name <name@host>`. Required with `SMTP_URL`'),
}

export interface SmtpAddress {
  /** `smtp:` or `smtps:` URL, with user and password if the server needs them. */
  url: string
  /** Sender address. */
  from: string
  /** PEM of the authority that signed the server's certificate. Default: the authorities that Node trusts. */
  ca?: string
}

/** Returns null if mail is written to the log. */
export const getSmtpAddress = (env: Values<typeof mailVariables>): SmtpAddress | null => {
  const { SMTP_URL: url, MAIL_FROM: from, SMTP_CA_FILE: ca } = env
  if (url === undefined) return null
  if (from === undefined) throw new InvalidConfigurationError('MAIL_FROM must be set together with SMTP_URL.')
  return { url, from, ...(ca ? { ca: readNamedFile(env, 'SMTP_CA_FILE') } : {}) }
}
