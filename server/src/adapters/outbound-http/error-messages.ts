import { STATUS_CODES } from 'node:http'

/** Explains to users why a request to another service failed. */

const maxLength = 300

/** Messages by error code or error name. `{far}` is replaced by what the reader knows the service as. */
const messages: Readonly<Record<string, string>> = {
  ERR_INVALID_URL: 'The {far} has an invalid URL',
  ENOTFOUND: 'The host of the {far} is unknown',
  EAI_AGAIN: 'The host of the {far} cannot be looked up',
  // The message is the same for a name that does not exist and for one with a private address, because tenants must not
  // learn which internal names exist.
  HostUnavailableError: 'The host of the {far} could not be found, or its address is not allowed',
  ECONNREFUSED: 'The host of the {far} refused the connection',
  ECONNRESET: 'The host of the {far} closed the connection',
  EPIPE: 'The host of the {far} closed the connection',
  EHOSTUNREACH: 'The host of the {far} cannot be reached',
  ENETUNREACH: 'The host of the {far} cannot be reached',
  ETIMEDOUT: 'The {far} did not answer in time',
  TimeoutError: 'The {far} did not answer in time',
  AbortError: 'The {far} did not answer in time',
  HPE_HEADER_OVERFLOW: 'The {far} answered with headers that are too large',
  ProtocolError: 'The {far} did not send a valid HTTP response',
}

/** Message of `ws` if the server rejects the WebSocket handshake. */
const notOpened = /^Unexpected server response: (\d{3})$/

/** Returns the message of a network error, or undefined for other errors. It contains no text of the service. */
export const describeNetworkError = (error: unknown, service: string): string | undefined => {
  if (!(error instanceof Error)) return undefined
  const { code, name, cause } = error as NodeJS.ErrnoException
  const template = messages[code ?? ''] ?? messages[name]
  return template?.replace('{far}', service) ?? describeNetworkError(cause, service)
}

/** Library errors have a message of their own. Network errors may have none, or have it in their cause. */
const formatMessage = (error: unknown, service: string): string => {
  if (!(error instanceof Error)) return String(error)
  const { code, name, cause, message } = error as NodeJS.ErrnoException
  const template = messages[code ?? ''] ?? messages[name] ?? STATUS_CODES[notOpened.exec(message)?.[1] ?? '']
  if (template !== undefined) return template.replace('{far}', service)
  if (code?.startsWith('HPE_')) return `The ${service} did not send a valid HTTP response`
  if (cause instanceof Error && !message.includes(' ')) return formatMessage(cause, service)
  const named = /^(?:Error|AddressNotAllowedError|ResponseTooLargeError|SendBufferFullError)$/.test(name)
  return message === '' ? name : `${message}${named || message.includes(name) ? '' : ` (${name})`}`
}

/**
 * Returns one line for the user. Other services may send any text, so the line is cut off after 300 characters.
 * @param service what the reader knows the service as, such as "webhook"
 */
export const describeError = (error: unknown, service: string): string => {
  const [line = ''] = formatMessage(error, service)
    .trim()
    .split(/[\r\n]/)
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line
}
