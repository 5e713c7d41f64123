import { isSecretAlertTarget, isSecretName, maskCredentialsInText } from '@patchbay/rules/masking/masking'
import { type CodeRequest, type CodeVariable, createToken } from '../../ui/request-code/request-code.ts'
import type { RecordedRequest } from './record-requests.ts'

/** Turns recorded requests into those of code, which contain variables in the place of secrets and new SIDs. */

const toSnakeCase = (name: string): string =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z\d]/g, '_')
    .toLowerCase()

/** Returns a name that is not taken, and takes it. */
const takeName = (name: string, taken: Set<string>): string => {
  let free = name
  for (let at = 2; taken.has(free); at += 1) free = `${name}_${at}`
  taken.add(free)
  return free
}

/** Returns the name of the SID that a request returns, such as `account_sid` for `POST /Accounts`. */
const toSidName = ({ url }: RecordedRequest): string =>
  `${toSnakeCase(new URL(url).pathname.split('/').at(-1) ?? '').replace(/s$/, '')}_sid`

const isSecret = (name: string, value: string, typedSecrets: ReadonlySet<string>): boolean =>
  value !== '' &&
  (isSecretName(name) ||
    typedSecrets.has(value) ||
    (name === 'target' && isSecretAlertTarget(value)) ||
    maskCredentialsInText(value) !== value)

/**
 * Returns the requests with variables. A secret is known by the name of its member, by the password field that it was
 * typed into, or because it is a URL with a password.
 * @param typedSecrets values of the form's password fields
 */
export const toCodeRequests = (
  recorded: readonly RecordedRequest[],
  typedSecrets: ReadonlySet<string>,
): { requests: CodeRequest[]; variables: CodeVariable[] } => {
  const variables: CodeVariable[] = []
  const names = new Set<string>()
  const secretTokens = new Map<string, string>()

  /** Returns the token of a secret. The same secret in two requests is one variable. */
  const toSecretToken = (path: readonly string[], value: string): string => {
    const name = toSnakeCase(path.join('_')).toUpperCase().replace(/^\d/, '_$&')
    const key = JSON.stringify([name, value])
    const token = secretTokens.get(key) ?? createToken('secret')
    if (!secretTokens.has(key)) variables.push({ token, name: takeName(name, names), isSecret: true })
    secretTokens.set(key, token)
    return token
  }
  const withoutSecrets = (value: unknown, path: readonly string[]): unknown => {
    if (typeof value === 'string')
      return isSecret(path.at(-1) ?? '', value, typedSecrets) ? toSecretToken(path, value) : value
    if (typeof value !== 'object' || value === null || value instanceof File) return value
    if (Array.isArray(value)) return value.map((item, at) => withoutSecrets(item, [...path, String(at + 1)]))
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, withoutSecrets(member, [...path, name])]),
    )
  }

  const requests = recorded.map(({ method, url, body }): CodeRequest => {
    const request = { method, url }
    return body === undefined ? request : { ...request, body: withoutSecrets(body, []) }
  })
  for (const [at, request] of recorded.entries()) {
    const later = recorded.slice(at + 1).some(({ url, body }) => `${url}${JSON.stringify(body)}`.includes(request.sid))
    if (!later) continue
    const name = takeName(toSidName(request), names)
    variables.push({ token: request.sid, name, isSecret: false })
    Object.assign(requests[at] ?? {}, { result: name })
  }
  return { requests, variables }
}
