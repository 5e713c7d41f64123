import { parseServiceKey, type ServiceKey } from '@patchbay/contract/recordings/storage'
import { SignJWT } from 'jose'
import { createPrivateKey, type KeyObject } from 'node:crypto'

/** Where an assertion is exchanged for a token. */
export const googleTokenUrl = 'https://oauth2.googleapis.com/token'

type GoogleAccount = ServiceKey & { key: KeyObject }

/**
 * Returns who the service key of a Google account names and its private key. Further members of it are ignored: they
 * name hosts and files (`token_uri`, `universe_domain`), and a tenant could send the server anywhere with them.
 */
export const googleAccount = (serviceKey: string): GoogleAccount => {
  const read = parseServiceKey(serviceKey)
  if (read === undefined) throw new Error('The service key is not JSON with private_key and client_email')
  try {
    return { ...read, key: createPrivateKey(read.private_key) }
  } catch {
    throw new Error('The private key of the service key cannot be read')
  }
}

/** Signs what the account exchanges for a token of its own (RFC 7523). */
export const googleAssertion = ({ client_email, key }: GoogleAccount, scope: string): Promise<string> =>
  new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(client_email)
    .setAudience(googleTokenUrl)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(key)
