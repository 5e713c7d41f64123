import { isPasswordName, isSecretName, maskPassword, maskToken } from '@patchbay/rules/masking/masking'

/** Masks the secrets in a row. Exports never contain secrets, even those that the screen displays. */
export const maskSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(maskSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecretName(name) && typeof member === 'string' && member !== ''
        ? (isPasswordName(name) ? maskPassword : maskToken)(member)
        : maskSecrets(member),
    ]),
  )
}
