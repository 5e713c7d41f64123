/** Masking of secrets for display (COMMON-38, COMMON-39, docs/reference/platform-api/tenants.md#recording-storage). */

const letterOrDigit = /[\p{L}\p{N}]/gu

/** The number of characters of a token that stay visible. */
export const visibleSuffixLength = 4

/** Replaces letters and digits with * except in the last four characters of a token. Other characters are kept. */
export const maskToken = (token: string): string => {
  const suffix = token.length > visibleSuffixLength ? token.slice(-visibleSuffixLength) : ''
  return token.slice(0, token.length - suffix.length).replace(letterOrDigit, '*') + suffix
}

/** Keeps the first six characters and replaces the rest with X. Masks values of six or fewer characters completely. */
export const maskKey = (key: string): string =>
  key.length <= 6 ? 'X'.repeat(key.length) : key.slice(0, 6) + 'X'.repeat(key.length - 6)

const keyHeader = '-----BEGIN PRIVATE KEY-----\n'

/**
 * Keeps the header of a private key in PEM format and masks the rest like other keys
 * (docs/reference/platform-api/speech.md#masked-fields).
 */
export const maskPrivateKey = (key: string): string =>
  key.startsWith(keyHeader) ? keyHeader + maskKey(key.slice(keyHeader.length)) : maskKey(key)

/**
 * Replaces a password with a mask of fixed length, which shows none of its characters and not how many there are. People
 * choose passwords, so a few characters help to guess the rest, unlike those of a generated key.
 */
export const maskPassword = (password: string): string => (password === '' ? '' : 'X'.repeat(8))

/**
 * Keeps the first character of a SIP client's password and replaces the rest with X, as clients of jambonz expect it.
 * Masks a single character completely (docs/reference/platform-api/numbers-and-clients.md#masked-passwords).
 */
export const maskClientPassword = (password: string): string => {
  const [first = '', ...rest] = password
  return rest.length === 0 ? 'X'.repeat(first === '' ? 0 : 1) : first + 'X'.repeat(rest.length)
}

/** Replaces a secret of which nothing is displayed. */
export const mask = '********'

/** User information of the URLs in a text, up to the last `@` of the host part. */
const userInformation = /([/\\]{2})[^/\\?#\s"'<>]{1,2000}@/g

/** Masks user names and passwords in the URLs of a text, such as a log line: `https://********@example.com`. */
export const maskCredentialsInText = (text: string): string =>
  text.includes('@') ? text.replaceAll(userInformation, `$1${mask}@`) : text

/** Masks the user name and password of a URL, including URLs without slashes. */
export const maskUrlCredentials = (url: string): string => {
  const parsed = URL.parse(url)
  if (parsed === null) return maskCredentialsInText(url)
  if (parsed.username === '' && parsed.password === '') return url
  parsed.username = mask
  parsed.password = ''
  return parsed.href
}

/**
 * Returns whether anyone who knows the target of an alert destination can post to it: the URL of a webhook, or a key. An
 * email address is no secret.
 */
export const isSecretAlertTarget = (target: string): boolean =>
  Boolean(URL.parse(target)?.host) || target.lastIndexOf('@') <= 0

/**
 * Masks the target of an alert destination. The path and query of a webhook are secrets, because anyone who knows them
 * can post to the chat. Email addresses keep their first character and domain.
 */
export const maskAlertTarget = (target: string): string => {
  if (!isSecretAlertTarget(target)) return `${target.charAt(0)}${mask}${target.slice(target.lastIndexOf('@'))}`
  const { protocol, host } = URL.parse(target) ?? {}
  return host ? `${protocol}//${host}/${mask}` : mask
}

/** Returns whether a member with this name contains a secret, following the platform's column names. */
export const isSecretName = (name: string): boolean =>
  /password|secret|token|(?:api|access|private|service|subscription|secret)_key(?!_id)|^voice_cloning_key$|connection_string/i.test(
    name,
  )

/** Returns whether a member with this name contains a password, which is masked completely. */
export const isPasswordName = (name: string): boolean => /password/i.test(name)
