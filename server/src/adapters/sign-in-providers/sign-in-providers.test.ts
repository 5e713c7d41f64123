import { createVisit, type FakeProvider, createPerson, type Visit } from '@patchbay/testkit/sign-in-providers/consent'
import { type FakeGithub, startFakeGithub } from '@patchbay/testkit/sign-in-providers/github'
import { startFakeGoogle } from '@patchbay/testkit/sign-in-providers/google'
import { freePort } from '@patchbay/testkit/ports'
import { testConfiguration } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createSignInProviders } from './sign-in-providers.ts'
import type { SignInCode, Identity, SignInProviderName } from './sign-in-provider.ts'

/** Google and GitHub as they are asked, and what becomes of answers that they should not give. */

let google: FakeProvider
let github: FakeGithub
beforeAll(async () => {
  ;[google, github] = await Promise.all([startFakeGoogle(), startFakeGithub()])
})
afterAll(() => Promise.all([google.stop(), github.stop()]))

afterEach(() => {
  google.behave('ok')
  github.behave('ok')
})

const names = ['google', 'github'] as const
const fakeOf = (name: SignInProviderName): FakeProvider => (name === 'google' ? google : github)
const redirectOf = (name: SignInProviderName) => `https://console.example.org/oauth-callback/${name}`

const visitTo = (name: SignInProviderName, more: Partial<Visit> = {}): Visit =>
  createVisit({ redirect_uri: redirectOf(name), client_id: fakeOf(name).clientId, ...more })

const sentOf = (code: string, { redirect_uri, code_verifier, nonce }: Visit): SignInCode => ({
  code,
  redirect_uri,
  code_verifier: code_verifier || undefined,
  nonce: nonce || undefined,
})

const identify = (
  name: SignInProviderName,
  code: SignInCode,
  more: NodeJS.ProcessEnv = {},
  limit?: { seconds: number },
): Promise<Identity> => {
  const { signInProviders } = testConfiguration({ ...google.environment, ...github.environment, ...more })
  const provider = createSignInProviders(signInProviders, limit)[name]
  if (provider === null) throw new Error('It is not set.')
  return provider.identify(code)
}

describe.each(names)('%s', (name) => {
  const consent = async (visit: Visit) => sentOf(await fakeOf(name).consent(visit), visit)

  test('tells who consented: by what stays, the name of the login, and the address that is verified', async () => {
    const person = createPerson()
    fakeOf(name).seat(person)
    const { id, login, email, picture } = person
    const provider_userid = name === 'google' ? id : login
    const known = { provider: name, provider_id: id, provider_userid, email, picture }
    expect(await identify(name, await consent(visitTo(name)))).toEqual(known)
    // As clients of the platform ask, which know neither nonce nor PKCE.
    expect(await identify(name, await consent(visitTo(name, { nonce: '', code_verifier: '' })))).toEqual(known)
  })

  const used = name === 'google' ? 'invalid grant' : 'bad verification code'

  test('a code is good once, for its own client, address and visit', async () => {
    const sent = await consent(visitTo(name))
    await identify(name, sent)
    await expect(identify(name, sent)).rejects.toThrow(used)
    await expect(identify(name, { ...sent, code: 'made up' })).rejects.toThrow(used)
    const another = await consent(visitTo(name, { client_id: 'another-client' }))
    await expect(identify(name, another)).rejects.toThrow(used)
    const elsewhere = { ...(await consent(visitTo(name))), redirect_uri: 'https://evil.example.com/oauth-callback' }
    await expect(identify(name, elsewhere)).rejects.toThrow(used)
    const { code } = await consent(visitTo(name))
    await expect(identify(name, sentOf(code, visitTo(name)))).rejects.toThrow(used)
    const without = { ...(await consent(visitTo(name))), code_verifier: undefined }
    await expect(identify(name, without)).rejects.toThrow(used)
  })

  test('an address that is not verified is none', async () => {
    fakeOf(name).seat(createPerson({ isVerified: false }))
    await expect(identify(name, await consent(visitTo(name)))).rejects.toThrow(/has not verified your e-mail address/)
    fakeOf(name).seat(createPerson({ email: 'not an address' }))
    await expect(identify(name, await consent(visitTo(name)))).rejects.toThrow(/something else than it should/)
    fakeOf(name).seat(createPerson())
  })

  test('a wrong secret is told as the provider tells it', async () => {
    const wrong = { GOOGLE_OAUTH_CLIENT_SECRET: 'wrong', GITHUB_CLIENT_SECRET: 'wrong' }
    const told = name === 'google' ? 'invalid client' : 'incorrect client credentials'
    await expect(identify(name, await consent(visitTo(name)), wrong)).rejects.toThrow(told)
  })

  test.each([
    ['cut off', /broke off|other side closed/],
    ['nonsense', /something else than it should/],
    ['slow', 'The sign-in provider did not answer in time'],
  ] as const)('one that is %s is told of', async (mood, told) => {
    const sent = await consent(visitTo(name))
    fakeOf(name).behave(mood)
    await expect(identify(name, sent, {}, { seconds: mood === 'slow' ? 0.2 : 10 })).rejects.toThrow(told)
  })

  test('one that is away is told of', async () => {
    const noOwner = `http://127.0.0.1:${await freePort()}`
    const away = { GOOGLE_OAUTH_ISSUER: noOwner, GITHUB_BASE_URL: noOwner }
    const told = 'The host of the sign-in provider refused the connection'
    await expect(identify(name, await consent(visitTo(name)), away)).rejects.toThrow(told)
  })
})

test('Google: the nonce that was asked with must come back, and none where none was', async () => {
  const visit = visitTo('google')
  const sent = sentOf(await google.consent(visit), visit)
  await expect(identify('google', { ...sent, nonce: 'of another visit' })).rejects.toThrow(/something else/)
  const again = sentOf(await google.consent(visit), visit)
  await expect(identify('google', { ...again, nonce: undefined })).rejects.toThrow(/something else/)
  const silent = visitTo('google', { nonce: '' })
  const without = sentOf(await google.consent(silent), silent)
  await expect(identify('google', { ...without, nonce: 'made up' })).rejects.toThrow(/something else/)
})

test('GitHub: one without a primary address is not let in', async () => {
  github.hasPrimary(false)
  const visit = visitTo('github')
  const sent = sentOf(await github.consent(visit), visit)
  await expect(identify('github', sent)).rejects.toThrow('Your GitHub account has no primary e-mail address')
  github.hasPrimary(true)
})

test('without settings there is none', () => {
  expect(createSignInProviders(testConfiguration().signInProviders)).toEqual({ google: null, github: null })
})
