import { throwInvalid } from '@patchbay/contract/errors'
import { applicationLengths } from '@patchbay/contract/shared/column-lengths'
import { isSecretName, maskKey } from '@patchbay/contract/shared/masking'
import { z } from 'zod'
import type { Encryption } from '../../lib/encryption.ts'

/** Environment variables of an application, which are encrypted in their column (api/1-identity.md §11.7, §15). */

const variables = z.record(z.string(), z.unknown())

/** What cannot be read is taken for none, as on the platform (§15). */
export const decryptVariables = (stored: string | null, encryption: Encryption): Record<string, unknown> | null => {
  if (stored === null) return null
  try {
    return variables.parse(JSON.parse(encryption.decrypt(stored) ?? ''))
  } catch {
    return {}
  }
}

/** A platform may hold more than text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const masked = ([name, value]: [string, unknown]): [string, unknown] => [
  name,
  isSecretName(name) && value !== null ? maskKey(textOf(value)) : value,
]

/** Those whose names say secret are masked. */
export const maskedVariables = (all: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(all).map(masked))

/** Secrets are whole for those who may edit the application, masked for the others. */
export const toResponseVariables = (stored: string | null, mayChange: boolean, encryption: Encryption) => {
  const all = decryptVariables(stored, encryption)
  return mayChange || all === null ? all : maskedVariables(all)
}

/** What goes into the column. */
export const storedVariables = (
  sent: Readonly<Record<string, unknown>> | null | undefined,
  encryption: Encryption,
): string | null | undefined => {
  if (!sent) return sent
  const stored = encryption.encrypt(JSON.stringify(sent))
  return stored.length > applicationLengths.stored ? throwInvalid('env_vars must be shorter', 'env_vars') : stored
}
