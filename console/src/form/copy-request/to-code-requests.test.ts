import { expect, test } from 'vitest'
import type { RecordedRequest } from './record-requests.ts'
import { toCodeRequests } from './to-code-requests.ts'

const record = (method: string, path: string, body?: unknown, sid = '__sid_0__'): RecordedRequest => ({
  method,
  url: `https://voice.example.com/api/v1${path}`,
  body,
  sid,
})

/** Returns the bodies and addresses with the names of variables, and these names. */
const convert = (recorded: readonly RecordedRequest[], typedSecrets: readonly string[] = []) => {
  const { requests, variables } = toCodeRequests(recorded, new Set(typedSecrets))
  const text = variables.reduce((all, { token, name }) => all.replaceAll(token, `$${name}`), JSON.stringify(requests))
  return { requests: JSON.parse(text), names: variables.map(({ name }) => name) }
}

test.each([
  [{ password: 'p' }, 'PASSWORD'],
  [{ call_hook: { url: 'https://example.org', password: 'p' } }, 'CALL_HOOK_PASSWORD'],
  [{ carrier: { register_password: 'p' } }, 'CARRIER_REGISTER_PASSWORD'],
  [{ bucket_credential: { secret_access_key: 'p' } }, 'BUCKET_CREDENTIAL_SECRET_ACCESS_KEY'],
  [{ service_key: '{"private_key":"p"}' }, 'SERVICE_KEY'],
  [{ hooks: ['https://user:p@example.org'] }, 'HOOKS_1'],
  [{ kind: 'slack', target: 'https://hooks.slack.com/services/T0/B0/x' }, 'TARGET'],
  [{ kind: 'pagerduty', target: '0123456789abcdef0123456789abcdef' }, 'TARGET'],
])('%j has the secret %s', (body, name) => {
  expect(convert([record('POST', '/x', body)]).names).toEqual([name])
})

test.each([
  [{ name: 'p', password: '', api_key: null, is_active: true, access_key_id: 'AKIA' }],
  [{ kind: 'email', target: 'operator@example.org' }],
  [undefined],
])('%j has no secret', (body) => {
  const recorded = record('POST', '/x', body)
  expect(convert([recorded])).toEqual({
    requests: [{ method: 'POST', url: recorded.url, ...(body ? { body: JSON.parse(JSON.stringify(body)) } : {}) }],
    names: [],
  })
})

test('a value that was typed into a password field is a secret, whatever its name', () => {
  const { requests } = convert([record('PUT', '/x', { env_vars: { PIN: '1234', LANGUAGE: 'en' } })], ['1234', ''])
  expect(requests[0].body).toEqual({ env_vars: { PIN: '$ENV_VARS_PIN', LANGUAGE: 'en' } })
})

test('the same secret in two requests is one variable, and another one has a name of its own', () => {
  const bodies = [{ password: 'a' }, { password: 'a' }, { password: 'b' }]
  const { requests, names } = convert(bodies.map((body) => record('PUT', '/x', body)))
  expect(names).toEqual(['PASSWORD', 'PASSWORD_2'])
  expect(requests.map(({ body }: { body: { password: string } }) => body.password)).toEqual([
    '$PASSWORD',
    '$PASSWORD',
    '$PASSWORD_2',
  ])
})

test('a new SID is a variable if a later request uses it', () => {
  const { requests, names } = convert([
    record('POST', '/Accounts/a1/VoipCarriers', { name: 'x' }, '__sid_1__'),
    record('POST', '/SipGateways', { voip_carrier_sid: '__sid_1__' }, '__sid_2__'),
    record('POST', '/GoogleCustomVoices', {}, '__sid_3__'),
    record('POST', '/GoogleCustomVoices', {}, '__sid_4__'),
    record('PUT', '/GoogleCustomVoices/__sid_3__', {}, '__sid_5__'),
    record('PUT', '/GoogleCustomVoices/__sid_4__', {}, '__sid_6__'),
  ])
  expect(names).toEqual(['voip_carrier_sid', 'google_custom_voice_sid', 'google_custom_voice_sid_2'])
  expect(requests.map(({ result }: { result?: string }) => result)).toEqual([
    'voip_carrier_sid',
    undefined,
    'google_custom_voice_sid',
    'google_custom_voice_sid_2',
    undefined,
    undefined,
  ])
  expect(requests[1].body).toEqual({ voip_carrier_sid: '$voip_carrier_sid' })
  expect(requests[5].url).toMatch(/\/\$google_custom_voice_sid_2$/)
})

test('a file is kept, because its content is read when the code runs', () => {
  const file = new File(['secret'], 'key.txt')
  expect(toCodeRequests([record('POST', '/x', { file })], new Set(['secret'])).requests[0]?.body).toEqual({ file })
})
