import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Answer, member } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { expect, test } from 'vitest'

/**
 * The rules that only the console enforces: the server accepts what they forbid from users of an account, so that
 * clients of jambonz work. docs/reference/requirements.md lists exactly these rules.
 */

const api = await openTestApi()
const service_provider_sid = await api.provider()
const account_sid = await api.account(service_provider_sid)
const { caller: user } = await api.user({ account_sid, service_provider_sid })
const carrierWith = async (more: object = {}) =>
  member(await user.post('/VoipCarriers', { name: `carrier ${randomUUID()}`, account_sid, ...more }), 'sid')

/** Adds the same gateway twice, and returns the second response. */
const addTwice = async (path: string, more: object): Promise<Answer> => {
  const gateway = { voip_carrier_sid: await carrierWith(), ipv4: '203.0.113.9', ...more }
  await user.post(path, gateway)
  return user.post(path, gateway)
}

const rules: Readonly<Record<string, () => Promise<Answer>>> = {
  'ACCOUNTS-06 ACCOUNTS-50 ACCOUNTS-51 ACCOUNTS-52': async () => {
    const used = await api.account(service_provider_sid)
    await api.apiKey({ account_sid: used })
    return (await api.user({ service_provider_sid })).caller.delete(`/Accounts/${used}`)
  },
  'ACCOUNTS-33': () => user.put(`/Accounts/${account_sid}`, { enable_debug_log: true }),
  'ACCOUNTS-42': async () => {
    const empty = await api.account(service_provider_sid)
    const { caller } = await api.user({ account_sid: empty, service_provider_sid })
    return caller.delete(`/Accounts/${empty}`)
  },
  'ACCOUNTS-44': async () => {
    const name = `twice ${randomUUID()}`
    await api.account(service_provider_sid, { name })
    return api.admin.post('/Accounts', { name, service_provider_sid })
  },
  'APPS-18': () => {
    const socket = { url: 'wss://app.example.org', method: 'POST' }
    return user.post('/Applications', { name: 'socket', account_sid, call_hook: socket, call_status_hook: socket })
  },
  'CARRIERS-18': () => user.post('/VoipCarriers', { name: 'half', account_sid, register_username: 'only' }),
  'CARRIERS-20': () => user.post('/VoipCarriers', { name: 'prefix', account_sid, tech_prefix: '1' }),
  'CARRIERS-33 CARRIERS-34': async () => {
    const gateway = { voip_carrier_sid: await carrierWith(), ipv4: '203.0.113.9' }
    return user.delete(`/SipGateways/${member(await user.post('/SipGateways', gateway), 'sid')}`)
  },
  'CARRIERS-37': () => addTwice('/SipGateways', { inbound: 1, outbound: 0 }),
  'CARRIERS-38': async () =>
    user.post('/SipGateways', { voip_carrier_sid: await carrierWith(), ipv4: '203.0.113.9', inbound: 0, outbound: 0 }),
  'CARRIERS-48 CARRIERS-49': () => addTwice('/SmppGateways', { inbound: 1, outbound: 1 }),
  'CARRIERS-50': () => user.post('/VoipCarriers', { name: 'smpp', account_sid, smpp_system_id: 'id' }),
  'CLIENTS-06': () => user.post('/Clients', { username: `user-${randomUUID()}`, account_sid }),
  'LCR-09': () => user.post('/Lcrs', { name: 'routing', account_sid }),
  'NUMBERS-10': () => user.post('/PhoneNumbers', { number: '15085550177', account_sid }),
  'SPEECH-64 SPEECH-65': () =>
    user.post(`/Accounts/${account_sid}/SpeechCredentials`, { vendor: 'custom:none', use_for_tts: 1, use_for_stt: 1 }),
}

test.each(Object.entries(rules))('the server accepts what the console rejects by %s', async (_, send) => {
  const { status, text } = await send()
  expect({ status, text }).toEqual({ status: expect.toBeOneOf([201, 204]) as unknown, text })
})

test('the documentation lists exactly the rules that only the console enforces', () => {
  const [, section = ''] = readFileSync(new URL('../../docs/reference/requirements.md', import.meta.url), 'utf8').split(
    '## Rules that only the console enforces',
  )
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  const documented = rows.map((row) => [...(row.split('|')[1] ?? '').matchAll(/[A-Z]+-\d+/g)].join(' '))
  expect(documented.toSorted()).toEqual(Object.keys(rules).toSorted())
})
