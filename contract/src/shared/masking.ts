/** How secrets are shown (spec 0 §9, api/1-identity.md §8.5). */

const letterOrDigit = /[\p{L}\p{N}]/gu

/** All but the last four characters of a token: letters and digits become *, the rest stays. */
export const maskToken = (token: string): string => {
  const shown = token.slice(-4)
  return token.length <= 4 ? token.replace(letterOrDigit, '*') : token.slice(0, -4).replace(letterOrDigit, '*') + shown
}

/** First six characters, then one X each; a value of six or fewer is masked whole. */
export const maskKey = (key: string): string =>
  key.length <= 6 ? 'X'.repeat(key.length) : key.slice(0, 6) + 'X'.repeat(key.length - 6)

const keyHeader = '-----BEGIN PRIVATE KEY-----\n'

/** Of a private key in PEM the header shows; what follows is masked like other keys (api/3-speech.md §1.5). */
export const maskPrivateKey = (key: string): string =>
  key.startsWith(keyHeader) ? keyHeader + maskKey(key.slice(keyHeader.length)) : maskKey(key)

/** First character, then one X each; of a single one nothing is shown (api/2-telephony.md §12.2). */
export const maskPassword = (password: string): string => {
  const [first = '', ...rest] = password
  return rest.length === 0 ? 'X'.repeat(first === '' ? 0 : 1) : first + 'X'.repeat(rest.length)
}

const hidden = '********'

/** The user information of the URLs in a text, up to the last `@` before the host ends. */
const userInformation = /([/\\]{2})[^/\\?#\s"'<>]{1,2000}@/g

/** Masks user names and passwords in the URLs of a text, such as a log line: `https://********@example.com`. */
export const maskCredentialsInText = (text: string): string =>
  text.includes('@') ? text.replaceAll(userInformation, `$1${hidden}@`) : text

/** Masks user name and password of a URL, also if it is written without slashes. */
export const maskUrlCredentials = (url: string): string => {
  const parsed = URL.parse(url)
  if (parsed === null) return maskCredentialsInText(url)
  if (parsed.username === '' && parsed.password === '') return url
  parsed.username = hidden
  parsed.password = ''
  return parsed.href
}

/**
 * Masks where alerts are sent. The path and the query of a webhook are secrets too: whoever knows them can post to a
 * chat. Of an email address the first character and the domain remain.
 */
export const maskAlertTarget = (target: string): string => {
  const url = URL.parse(target)
  if (url !== null && url.host !== '') return `${url.protocol}//${url.host}/${hidden}`
  const at = target.lastIndexOf('@')
  return at > 0 ? `${target.charAt(0)}${hidden}${target.slice(at)}` : hidden
}

/** Whether what a member of this name holds is a secret, as the platform names its columns. */
export const isSecretName = (name: string): boolean =>
  /password|secret|token|(?:api|access|private|service|subscription|secret)_key(?!_id)|^voice_cloning_key$|connection_string/i.test(
    name,
  )
