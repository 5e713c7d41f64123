import { readServiceKey, type ServiceKey } from '@patchbay/contract/rules/recording-storage'
import { createPrivateKey, type KeyObject } from 'node:crypto'

/**
 * Of the service key of a Google account only who it is and the key itself: further members name hosts and files
 * (`token_uri`, `universe_domain`), and a tenant could send the server anywhere with them.
 */
export const googleAccount = (serviceKey: string): ServiceKey & { key: KeyObject } => {
  const read = readServiceKey(serviceKey)
  if (read === undefined) throw new Error('The service key is not JSON with private_key and client_email')
  try {
    return { ...read, key: createPrivateKey(read.private_key) }
  } catch {
    throw new Error('The private key of the service key cannot be read')
  }
}
