import {
  createPerson,
  createVisit,
  type FakeProvider,
  type Visit,
} from '@patchbay/testkit/fakes/sign-in-providers/consent'
import { type FakeGithub, startFakeGithub } from '@patchbay/testkit/fakes/sign-in-providers/github'
import { type FakeGoogle, keyMaxAgeSeconds, startFakeGoogle } from '@patchbay/testkit/fakes/sign-in-providers/google'
import { freePort } from '@patchbay/testkit/servers/ports'
import { testConfiguration } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Identity, SignInCode, SignInProviderName } from './sign-in-provider.ts'
import { createSignInProviders } from './sign-in-providers.ts'

/** Sign-in with Google and GitHub, including invalid responses. */

let google: FakeGoogle
let github: FakeGithub
beforeAll(async () => {
  ;[google, github] = await Promise.all([startFakeGoogle(), startFakeGithub()])
})
afterAll(() => Promise.all([google.stop(), github.stop()]))

afterEach(() => {
  vi.useRealTimers()
  google.behave('ok')
  github.behave('ok')
})

const names = ['google', 'github'] as const
const getFake = (name: SignInProviderName): FakeProvider => (name === 'google' ? google : github)
const createRedirectUri = (name: SignInProviderName) => `https://console.example.org/oauth-callback/${name}`

const openVisit = (name: SignInProviderName, settings: Partial<Visit> = {}): Visit =>
  createVisit({ redirect_uri: createRedirectUri(name), client_id: getFake(name).clientId, ...settings })

const createSignInCode = (code: string, { redirect_uri, code_verifier, nonce }: Visit): SignInCode => ({
  code,
  redirect_uri,
  code_verifier: code_verifier || undefined,
  nonce: nonce || undefined,
})

const identify = (
  name: SignInProviderName,
  code: SignInCode,
  settings: NodeJS.ProcessEnv = {},
  limit?: { seconds: number },
): Promise<Identity> => {
  const { signInProviders } = testConfiguration({ ...google.environment, ...github.environment, ...settings })
  const provider = createSignInProviders(signInProviders, limit)[name]
  if (provider === null) throw new Error('It is not set.')
  return provider.identify(code)
}

describe.each(names)('%s', (name) => {
  const consent = async (visit: Visit) => createSignInCode(await getFake(name).consent(visit), visit)

  test("returns the provider's permanent ID, the login, and the verified email address", async () => {
    const person = createPerson()
    getFake(name).seat(person)
    const { id, login, email, picture } = person
    const provider_userid = name === 'google' ? id : login
    const identity = { provider: name, provider_id: id, provider_userid, email, picture }
    expect(await identify(name, await consent(openVisit(name)))).toEqual(identity)
    // Existing API clients use neither a nonce nor PKCE.
    expect(await identify(name, await consent(openVisit(name, { nonce: '', code_verifier: '' })))).toEqual(identity)
  })

  const used = name === 'google' ? 'invalid grant' : 'bad verification code'

  test('accepts a code once, and only with its own client, redirect URI, and code verifier', async () => {
    const signInCode = await consent(openVisit(name))
    await identify(name, signInCode)
    await expect(identify(name, signInCode)).rejects.toThrow(used)
    await expect(identify(name, { ...signInCode, code: 'made up' })).rejects.toThrow(used)
    await expect(consent(openVisit(name, { client_id: 'another-client' }))).rejects.toThrow(/404|invalid_client/)
    const evil = 'https://evil.example.com/oauth-callback'
    await expect(consent(openVisit(name, { redirect_uri: evil }))).rejects.toThrow('redirect_uri_mismatch')
    const elsewhere = { ...(await consent(openVisit(name))), redirect_uri: evil }
    await expect(identify(name, elsewhere)).rejects.toThrow('redirect uri mismatch')
    const other = `http://127.0.0.1:1/oauth-callback/${name}`
    await expect(identify(name, { ...(await consent(openVisit(name))), redirect_uri: other })).rejects.toThrow(used)
    const { code } = await consent(openVisit(name))
    await expect(identify(name, createSignInCode(code, openVisit(name)))).rejects.toThrow(used)
    const without = { ...(await consent(openVisit(name))), code_verifier: undefined }
    await expect(identify(name, without)).rejects.toThrow(used)
  })

  test('rejects an unverified or invalid email address', async () => {
    getFake(name).seat(createPerson({ isVerified: false }))
    await expect(identify(name, await consent(openVisit(name)))).rejects.toThrow(/has not verified your email address/)
    getFake(name).seat(createPerson({ email: 'not an address' }))
    await expect(identify(name, await consent(openVisit(name)))).rejects.toThrow(/unexpected response/)
    getFake(name).seat(createPerson())
  })

  test("reports a wrong client secret with the provider's message", async () => {
    const wrongSecrets = { GOOGLE_OAUTH_CLIENT_SECRET: 'wrong', GITHUB_CLIENT_SECRET: 'wrong' }
    const message = name === 'google' ? 'invalid client' : 'incorrect client credentials'
    await expect(identify(name, await consent(openVisit(name)), wrongSecrets)).rejects.toThrow(message)
  })

  test.each([
    ['cut off', /closed the connection|other side closed/],
    ['nonsense', /unexpected response/],
    ['slow', 'The sign-in provider did not answer in time'],
  ] as const)('reports a provider that is %s', async (behavior, message) => {
    const signInCode = await consent(openVisit(name))
    getFake(name).behave(behavior)
    await expect(identify(name, signInCode, {}, { seconds: behavior === 'slow' ? 0.2 : 10 })).rejects.toThrow(message)
  })

  test('reports an unreachable provider', async () => {
    const unusedOrigin = `http://127.0.0.1:${await freePort()}`
    const unreachable = { GOOGLE_OAUTH_ISSUER: unusedOrigin, GITHUB_BASE_URL: unusedOrigin }
    const message = 'The host of the sign-in provider refused the connection'
    await expect(identify(name, await consent(openVisit(name)), unreachable)).rejects.toThrow(message)
  })
})

test('Google: fetches the signing keys when they expire, and once a minute for an unknown key', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { signInProviders } = testConfiguration(google.environment)
  const provider = createSignInProviders(signInProviders).google
  const signIn = async () => {
    const visit = openVisit('google')
    return provider?.identify(createSignInCode(await google.consent(visit), visit))
  }
  const later = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)
  const before = google.keyRequests()
  const countRequests = () => google.keyRequests() - before
  await signIn()
  await signIn()
  later(keyMaxAgeSeconds - 10)
  await signIn()
  expect(countRequests()).toBe(1)
  await google.rotateKey()
  await signIn()
  await signIn()
  expect(countRequests()).toBe(2)
  await google.rotateKey()
  await expect(signIn()).rejects.toThrow(/unexpected response/)
  expect(countRequests()).toBe(2)
  later(60)
  await signIn()
  expect(countRequests()).toBe(3)
  later(keyMaxAgeSeconds)
  await signIn()
  expect(countRequests()).toBe(4)
})

test('Google: rejects a nonce that is missing, unexpected, or different', async () => {
  const visit = openVisit('google')
  const signInCode = createSignInCode(await google.consent(visit), visit)
  await expect(identify('google', { ...signInCode, nonce: 'of another visit' })).rejects.toThrow(/unexpected response/)
  const again = createSignInCode(await google.consent(visit), visit)
  await expect(identify('google', { ...again, nonce: undefined })).rejects.toThrow(/unexpected response/)
  const visitWithoutNonce = openVisit('google', { nonce: '' })
  const without = createSignInCode(await google.consent(visitWithoutNonce), visitWithoutNonce)
  await expect(identify('google', { ...without, nonce: 'made up' })).rejects.toThrow(/unexpected response/)
})

test.each(['iss', 'aud', 'exp', 'signature'] as const)('Google: rejects an ID token with a wrong %s', async (claim) => {
  const visit = openVisit('google')
  const signInCode = createSignInCode(await google.consent(visit), visit)
  google.forge(claim)
  await expect(identify('google', signInCode)).rejects.toThrow(/unexpected response/)
  google.forge(undefined)
})

test('Google: rejects a sign-in without the scope of the email address', async () => {
  const visit = openVisit('google')
  const signInCode = createSignInCode(await google.consent(visit, 'openid profile'), visit)
  await expect(identify('google', signInCode)).rejects.toThrow('Google has not verified your email address')
  await expect(google.consent(visit, '')).rejects.toThrow('invalid_request')
})

test('GitHub: rejects a sign-in without the scope of the email addresses', async () => {
  const visit = openVisit('github')
  const signInCode = createSignInCode(await github.consent(visit, 'read:user'), visit)
  await expect(identify('github', signInCode)).rejects.toThrow(
    'GitHub does not allow Patchbay to read your email addresses',
  )
})

test('GitHub: returns a form to clients that do not accept JSON', async () => {
  const { environment, clientId } = github
  const exchange = async (accept: string, redirect_uri = createRedirectUri('github')) => {
    const body = new URLSearchParams({
      client_id: clientId,
      client_secret: environment['GITHUB_CLIENT_SECRET'] ?? '',
      code: 'made up',
      redirect_uri,
    })
    const url = `${environment['GITHUB_BASE_URL']}/login/oauth/access_token`
    return (await fetch(url, { method: 'POST', headers: { accept }, body })).text()
  }
  expect(await exchange('*/*')).toMatch(/^error=bad_verification_code&error_description=/)
  expect(JSON.parse(await exchange('application/json'))).toMatchObject({ error: 'bad_verification_code' })
  expect(await exchange('*/*', 'https://evil.example.com')).toMatch(/^error=redirect_uri_mismatch&/)
})

test('GitHub: rejects an account without a primary email address', async () => {
  github.hasPrimary(false)
  const visit = openVisit('github')
  const signInCode = createSignInCode(await github.consent(visit), visit)
  await expect(identify('github', signInCode)).rejects.toThrow('Your GitHub account has no primary email address')
  github.hasPrimary(true)
})

test('has no providers without settings', () => {
  expect(createSignInProviders(testConfiguration().signInProviders)).toEqual({ google: null, github: null })
})
