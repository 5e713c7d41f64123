import { STATUS_CODES } from 'node:http'

/** Explains to people why a request to another service failed. */

const maxLength = 300

/** By the code or the name of an error; `{far}` stands for what the service is to the reader. */
const texts: Readonly<Record<string, string>> = {
  ERR_INVALID_URL: 'The address of the {far} is not an address',
  ENOTFOUND: 'The host of the {far} is not known',
  EAI_AGAIN: 'The host of the {far} cannot be looked up',
  // One text for a name that does not exist and for one of a private network: which it is, is not for tenants.
  HostUnavailableError: 'The host of the {far} could not be found, or its address is not allowed',
  ECONNREFUSED: 'The host of the {far} refused the connection',
  ECONNRESET: 'The host of the {far} broke off the connection',
  EPIPE: 'The host of the {far} broke off the connection',
  EHOSTUNREACH: 'The host of the {far} cannot be reached',
  ENETUNREACH: 'The host of the {far} cannot be reached',
  ETIMEDOUT: 'The {far} did not answer in time',
  TimeoutError: 'The {far} did not answer in time',
  AbortError: 'The {far} did not answer in time',
  HPE_HEADER_OVERFLOW: 'The {far} answered with headers that are too large',
  ProtocolError: 'The {far} does not answer in HTTP as it should',
}

/** How `ws` says that a WebSocket was not opened. */
const notOpened = /^Unexpected server response: (\d{3})$/

/** Errors of libraries have a text; those of the network may have none, or have it in their cause. */
const textOf = (error: unknown, far: string): string => {
  if (!(error instanceof Error)) return String(error)
  const { code, name, cause, message } = error as NodeJS.ErrnoException
  const known = texts[code ?? ''] ?? texts[name] ?? STATUS_CODES[notOpened.exec(message)?.[1] ?? '']
  if (known !== undefined) return known.replace('{far}', far)
  if (code?.startsWith('HPE_')) return `The ${far} does not answer in HTTP as it should`
  if (cause instanceof Error && !message.includes(' ')) return textOf(cause, far)
  const named = /^(?:Error|AddressNotAllowedError|ResponseTooLargeError|SendBufferFullError)$/.test(name)
  return message === '' ? name : `${message}${named || message.includes(name) ? '' : ` (${name})`}`
}

/**
 * Returns one line for people. What another service says may be anything, so the line is cut off after 300 characters.
 *
 * @param far what the service is to the reader, such as "webhook"
 */
export const describeError = (error: unknown, far: string): string => {
  const [line = ''] = textOf(error, far)
    .trim()
    .split(/[\r\n]/)
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line
}
