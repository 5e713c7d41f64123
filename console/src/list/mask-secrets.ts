import { isPasswordName, isSecretName, maskAlertTarget, maskPassword, maskToken } from '@patchbay/rules/masking/masking'

const maskMember = (name: string, member: string): string => {
  if (name === 'target') return maskAlertTarget(member)
  if (!isSecretName(name) || member === '') return member
  return isPasswordName(name) ? maskPassword(member) : maskToken(member)
}

/** Masks the secrets in a row. Exports never contain secrets, even those that the screen displays. */
export const maskSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(maskSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'string' ? maskMember(name, member) : maskSecrets(member),
    ]),
  )
}
