import { STATUS_CODES } from 'node:http'

/** What went wrong far away, in words. */

const longest = 300

const unreachable: Readonly<Record<string, string>> = {
  ERR_INVALID_URL: 'The address of the {far} is not an address',
  ENOTFOUND: 'The host of the {far} is not known',
  EAI_AGAIN: 'The host of the {far} cannot be looked up',
  ECONNREFUSED: 'The host of the {far} refused the connection',
  ECONNRESET: 'The host of the {far} broke off the connection',
  EPIPE: 'The host of the {far} broke off the connection',
  EHOSTUNREACH: 'The host of the {far} cannot be reached',
  ENETUNREACH: 'The host of the {far} cannot be reached',
  ETIMEDOUT: 'The {far} did not answer in time',
  TimeoutError: 'The {far} did not answer in time',
  AbortError: 'The {far} did not answer in time',
}

/** How `ws` says that a WebSocket was not opened. */
const notOpened = /^Unexpected server response: (\d{3})$/

/** What libraries throw has a text; what comes of the network may have none, or hide it in what caused it. */
const textOf = (error: unknown, far: string): string => {
  if (!(error instanceof Error)) return String(error)
  const { code, name, cause, message } = error as NodeJS.ErrnoException
  const known = unreachable[code ?? ''] ?? unreachable[name] ?? STATUS_CODES[notOpened.exec(message)?.[1] ?? '']
  if (known !== undefined) return known.replace('{far}', far)
  if (cause instanceof Error && !message.includes(' ')) return textOf(cause, far)
  const named = name === 'Error' || message.includes(name) ? '' : ` (${name})`
  return message === '' ? name : `${message}${named}`
}

/** One line, for people; what the far side says is not ours, so it is kept short. `far` is what it is to them. */
export const reasonOf = (error: unknown, far: string): string => {
  const [line = ''] = textOf(error, far)
    .trim()
    .split(/[\r\n]/)
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}
