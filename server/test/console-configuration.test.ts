import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '@patchbay/server/app/app'
import { createTestApi, testConfiguration } from '@patchbay/testkit/test-api'
import { expect, test } from 'vitest'

test.each([
  [{}, ['call-logs', 'no-live-calls', 'no-registrations', 'no-tts-cache']],
  [
    { ENABLE_FORGOT_PASSWORD: '1', PUBLIC_URL: 'https://a.example' },
    ['call-logs', 'forgot-password', 'password-for-email', 'no-live-calls', 'no-registrations', 'no-tts-cache'],
  ],
  [{ JAMBONES_HOSTING: '1' }, ['call-logs', 'hosted-system', 'no-live-calls', 'no-registrations', 'no-tts-cache']],
  [{ ACCOUNT_LIMITS: '1' }, ['account-limits', 'call-logs', 'no-live-calls', 'no-registrations', 'no-tts-cache']],
  [
    { DISABLE_CALL_RECORDING: '1' },
    ['call-logs', 'no-call-recording', 'no-live-calls', 'no-registrations', 'no-tts-cache'],
  ],
  [
    { DISABLE_CUSTOM_SPEECH: 'true' },
    ['call-logs', 'no-custom-speech', 'no-live-calls', 'no-registrations', 'no-tts-cache'],
  ],
  [
    { DISABLE_ADDITIONAL_SPEECH_VENDORS: '1' },
    ['call-logs', 'no-additional-speech-vendors', 'no-live-calls', 'no-registrations', 'no-tts-cache'],
  ],
  [
    { DISABLE_INITIAL_APPLICATION: '1' },
    ['call-logs', 'no-initial-application', 'no-live-calls', 'no-registrations', 'no-tts-cache'],
  ],
  [{ DISABLE_LCR: 'true' }, ['call-logs', 'no-lcr', 'no-live-calls', 'no-registrations', 'no-tts-cache']],
  [
    { INTAKE_OTLP: '0', DISABLE_JAEGER_TRACING: '1' },
    ['no-tracing', 'no-live-calls', 'no-registrations', 'no-tts-cache'],
  ],
])('with the settings %j, config.json contains the switches %j', async (settings, switches) => {
  const api = await createTestApi()
  const root = await mkdtemp(join(tmpdir(), 'patchbay-configuration-'))
  await writeFile(join(root, 'index.html'), '<title>Console</title>')
  const { database } = api.services
  const app = await createApp({ configuration: testConfiguration(settings), database, consoleRoot: root })
  expect((await app.inject({ url: '/config.json' })).json()).toMatchObject({ switches })
  await app.close()
  await api.close()
  await rm(root, { recursive: true })
})

test('config.json of a hosted installation contains the service provider of new accounts', async () => {
  const api = await createTestApi()
  const root = await mkdtemp(join(tmpdir(), 'patchbay-configuration-'))
  await writeFile(join(root, 'index.html'), '<title>Console</title>')
  const { database } = api.services
  const configure = async (settings: NodeJS.ProcessEnv): Promise<unknown> => {
    const app = await createApp({ configuration: testConfiguration(settings), database, consoleRoot: root })
    const answer: unknown = (await app.inject({ url: '/config.json' })).json()
    await app.close()
    return answer
  }
  const sid = '11111111-2222-4333-8444-555555555555'
  const hosted = { JAMBONES_HOSTING: '1', DEFAULT_SERVICE_PROVIDER_SID: sid }
  expect(await configure(hosted)).toMatchObject({ hosting: { serviceProvider: sid } })
  expect(await configure({})).not.toHaveProperty('hosting')
  const github = { GITHUB_CLIENT_ID: 'Iv1.1', GITHUB_CLIENT_SECRET: 'of-github' }
  const google = { GOOGLE_OAUTH_CLIENT_ID: '1.apps', GOOGLE_OAUTH_CLIENT_SECRET: 'of-google' }
  const withProviders = await configure({ ...hosted, ...github, ...google })
  expect(withProviders).toMatchObject({
    hosting: {
      signInProviders: {
        github: { clientId: 'Iv1.1', authorizeUrl: 'https://github.com/login/oauth/authorize' },
        google: { clientId: '1.apps', authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth' },
      },
    },
  })
  expect(JSON.stringify(withProviders)).not.toMatch(/of-google|of-github/)
  await api.close()
  await rm(root, { recursive: true })
})

test('only documents of payment screens allow the Stripe script, and only if billing is enabled', async () => {
  const api = await createTestApi()
  const root = await mkdtemp(join(tmpdir(), 'patchbay-configuration-'))
  await writeFile(join(root, 'index.html'), '<title>Console</title>')
  const { database } = api.services
  const policies = async (settings: NodeJS.ProcessEnv, paths: readonly string[]) => {
    const app = await createApp({ configuration: testConfiguration(settings), database, consoleRoot: root })
    const answers = await Promise.all(paths.map((url) => app.inject({ url, headers: { accept: 'text/html' } })))
    const configuration: unknown = (await app.inject({ url: '/config.json' })).json()
    await app.close()
    return { configuration, headers: answers.map(({ headers }) => String(headers['content-security-policy'])) }
  }
  const account = '/internal/accounts/11111111-2222-4333-8444-555555555555'
  const payments = ['subscription', 'modify-subscription', 'manage-payment/', 'Subscription?a=1']
  const others = ['edit', 'sip-realm/edit', 'subscription/more', 'edit?next=/subscription']
  const all = [...payments, ...others].map((path) => `${account}/${path}`)
  const stripe = { STRIPE_API_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec', STRIPE_PUBLISHABLE_KEY: 'pk_1' }

  const { headers, configuration } = await policies({ JAMBONES_HOSTING: '1', ...stripe }, [...all, '/'])
  for (const policy of headers.slice(0, payments.length)) {
    expect(policy).toMatch(/script-src 'self' https:\/\/js\.stripe\.com https:\/\/\*\.js\.stripe\.com;/)
    expect(policy).toMatch(
      /frame-src https:\/\/js\.stripe\.com https:\/\/\*\.js\.stripe\.com https:\/\/hooks\.stripe\.com;/,
    )
    expect(policy).toMatch(/connect-src 'self' https:\/\/api\.stripe\.com;/)
    expect(policy).toMatch(/require-trusted-types-for 'script'; trusted-types default$/)
  }
  for (const policy of headers.slice(payments.length)) expect(policy).not.toMatch(/stripe|default$/)
  expect(configuration).toMatchObject({
    hosting: { stripePublishableKey: 'pk_1', stripeJs: 'https://js.stripe.com/endive/stripe.js' },
  })
  expect(JSON.stringify(configuration)).not.toMatch(/whsec|"sk"/)

  const without = await Promise.all([
    policies(stripe, all),
    policies({ JAMBONES_HOSTING: '1', ...stripe, STRIPE_PUBLISHABLE_KEY: '' }, all),
    policies({ JAMBONES_HOSTING: '1' }, all),
  ])
  for (const one of without) {
    expect(one.headers.join('\n')).not.toContain('stripe')
    expect(JSON.stringify(one.configuration)).not.toContain('stripe')
  }
  await api.close()
  await rm(root, { recursive: true })
})

test('pages can use the microphone and connect to the SBCs, to nothing else, and only if a phone is configured', async () => {
  const api = await createTestApi()
  const root = await mkdtemp(join(tmpdir(), 'patchbay-configuration-'))
  await writeFile(join(root, 'index.html'), '<title>Console</title>')
  const readHeaders = async (settings: NodeJS.ProcessEnv, paths: readonly string[]) => {
    const { database } = api.services
    const app = await createApp({ configuration: testConfiguration(settings), database, consoleRoot: root })
    const answers = await Promise.all(paths.map((url) => app.inject({ url, headers: { accept: 'text/html' } })))
    await app.close()
    return answers.map(({ headers }) => ({
      sources: /connect-src ([^;]+);/.exec(String(headers['content-security-policy']))?.[1],
      permissions: headers['permissions-policy'],
    }))
  }
  const none = { sources: "'self'", permissions: 'camera=(), microphone=(), geolocation=(), payment=()' }
  const pages = ['/', '/internal/applications']
  expect(await readHeaders({}, pages)).toEqual([none, none])
  const PHONE_SBC_URLS = 'wss://sbc.example.org:8443/ws, wss://sbc.example.org:8443,ws://[2001:db8::1]:8080'
  const phone = {
    sources: "'self' wss://sbc.example.org:8443 ws://[2001:db8::1]:8080",
    permissions: 'camera=(), microphone=(self), geolocation=(), payment=()',
  }
  // Responses other than pages never need the microphone.
  expect(await readHeaders({ PHONE_SBC_URLS }, [...pages, '/config.json'])).toEqual([
    phone,
    phone,
    { ...none, sources: undefined },
  ])
  const withApi = { PHONE_SBC_URLS: 'wss://sbc.example.org', CONSOLE_API_BASE: 'https://api.example.org/v1' }
  expect(await readHeaders(withApi, ['/'])).toMatchObject([
    { sources: "'self' https://api.example.org wss://sbc.example.org" },
  ])
  await api.close()
  await rm(root, { recursive: true })
})

test.each([
  'https://sbc.example.org',
  'sbc.example.org:8443',
  'wss://user:secret@sbc.example.org',
  'wss://sbc.example.org?a=1',
  'wss://sbc.example.org; script-src *',
  'wss://a b',
  Array.from({ length: 9 }, (_, index) => `wss://sbc${index}.example.org`).join(),
])('PHONE_SBC_URLS cannot be %s', (PHONE_SBC_URLS) => {
  expect(() => testConfiguration({ PHONE_SBC_URLS })).toThrow(
    /PHONE_SBC_URLS: must be at most 8 addresses such as wss:/,
  )
})
