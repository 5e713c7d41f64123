import { config } from '../../api/configuration.ts'

const digits = 6

/**
 * Returns a random activation code for the upstream jambonz server, which mails the code that the browser sends.
 * Returns an empty text if the server generates the code itself.
 */
export const ownCode = (): string => {
  if (config().extensions.has('activation-codes')) return ''
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1))
  return String(number % 10 ** digits).padStart(digits, '0')
}
