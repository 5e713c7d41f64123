import { createPrivateKey, type KeyObject } from 'node:crypto'
import { parseServiceKey, type ServiceKey } from '@patchbay/contract/recordings/storage'
import { SignJWT } from 'jose'

/** URL that exchanges an assertion for a token. */
export const googleTokenUrl = 'https://oauth2.googleapis.com/token'

type GoogleAccount = ServiceKey & { key: KeyObject }

/**
 * Returns the account that a service key names and its private key. Other members of the service key are ignored: they
 * name hosts and files (`token_uri`, `universe_domain`), which a tenant could use to send requests to any address.
 */
export const googleAccount = (serviceKey: string): GoogleAccount => {
  const accountKey = parseServiceKey(serviceKey)
  if (accountKey === undefined) throw new Error('The service key is not JSON with private_key and client_email')
  try {
    return { ...accountKey, key: createPrivateKey(accountKey.private_key) }
  } catch {
    throw new Error('The private key of the service key cannot be parsed')
  }
}

/** Signs an assertion that the account exchanges for a token of its own (RFC 7523). */
export const googleAssertion = ({ client_email, key }: GoogleAccount, scope: string): Promise<string> =>
  new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(client_email)
    .setAudience(googleTokenUrl)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(key)
