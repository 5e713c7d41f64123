import { throwInvalid } from '@patchbay/contract/api/errors'
import { applicationLengths } from '@patchbay/contract/applications/record'
import { isPasswordName, isSecretName, maskKey, maskPassword } from '@patchbay/rules/masking/masking'
import { z } from 'zod'
import type { Encryption } from '../../lib/encryption.ts'

/**
 * Environment variables of an application, which are encrypted in the database
 * (docs/reference/platform-api/database.md#encryption).
 */

const variables = z.record(z.string(), z.unknown())

/**
 * Decrypts variables. Unreadable ones are treated as empty, as in jambonz
 * (docs/reference/platform-api/database.md#encryption).
 */
export const decryptVariables = (stored: string | null, encryption: Encryption): Record<string, unknown> | null => {
  if (stored === null) return null
  try {
    return variables.parse(JSON.parse(encryption.decrypt(stored) ?? ''))
  } catch {
    return {}
  }
}

/** Values stored by jambonz may be other types than strings. */
const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const maskEntry = ([name, value]: [string, unknown]): [string, unknown] => [
  name,
  isSecretName(name) && value !== null ? (isPasswordName(name) ? maskPassword : maskKey)(toText(value)) : value,
]

/** Masks variables with secret names. */
export const maskVariables = (all: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(all).map(maskEntry))

/** Returns the variables for a response. Secrets are masked unless the actor may edit the application. */
export const toResponseVariables = (stored: string | null, canChange: boolean, encryption: Encryption) => {
  const all = decryptVariables(stored, encryption)
  return canChange || all === null ? all : maskVariables(all)
}

/** Returns the value of the column. */
export const encryptVariables = (
  values: Readonly<Record<string, unknown>> | null | undefined,
  encryption: Encryption,
): string | null | undefined => {
  if (!values) return values
  const stored = encryption.encrypt(JSON.stringify(values))
  return stored.length > applicationLengths.stored ? throwInvalid('env_vars must be shorter', 'env_vars') : stored
}
