import { config } from '../../api/configuration.ts'

const digits = 6

/** The platform's own server mails the code that the browser makes; ours makes it itself and wants none. */
export const ownCode = (): string => {
  if (config().extensions.has('activation-codes')) return ''
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1))
  return String(number % 10 ** digits).padStart(digits, '0')
}
