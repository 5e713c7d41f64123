import { expect, test } from 'vitest'
import { type ParsedSipMessage, parseSip } from './parser.ts'
import { describePlatformReason } from './platform-reasons.ts'

const respond = (status: string, ...headers: readonly string[]): ParsedSipMessage => {
  const parsed = parseSip([`SIP/2.0 ${status}`, 'CSeq: 1 INVITE', ...headers, '', ''].join('\r\n'))
  if (parsed === undefined) throw new Error('This is not SIP')
  return parsed
}

test.each([
  [
    '403 Forbidden',
    'X-Reason: detected potential spammer from 203.0.113.150:5062',
    'The caller was taken for a spammer',
  ],
  ['403 Forbidden', 'X-Reason: Unknown or invalid realm', 'The caller used a SIP realm that is not known'],
  ['403 Forbidden', 'X-Reason: Invalid credentials', 'The SIP client sent no valid credentials'],
  ['503 Service Unavailable', 'X-Reason: Account exists but is inactive', 'The account is inactive'],
])('the platform states why it refused a call: %s, %s', (status, header, title) => {
  const response = respond(status, header)
  const own = describePlatformReason(response, { hop: 'platform', isOutbound: false })
  expect(own?.title).toMatch(title)
  expect(own?.explanation?.slice(1)).toBe(own?.title?.slice(1))
  expect(describePlatformReason(response, { hop: 'unknown', isOutbound: false })).toEqual(own)
  expect(describePlatformReason(response, { hop: 'unknown', isOutbound: true })).toEqual({
    explanation: own?.explanation,
  })
  expect(describePlatformReason(response, { hop: 'carrier', isOutbound: true })).toBeUndefined()
})

test.each([
  ['403 Forbidden', 'X-Reason: potential spammer'],
  ['403 Forbidden', 'X-Reason: constructor'],
  ['403 Forbidden', 'Reason: SIP;cause=403;text="Invalid credentials"'],
])('other texts are not those of the platform: %s, %s', (status, header) => {
  expect(describePlatformReason(respond(status, header), { hop: 'platform', isOutbound: false })).toBeUndefined()
})

test('other hosts send the same phrases', () => {
  const response = respond('503 Max Account Calls In Progress', 'Server: drachtio')
  expect(describePlatformReason(response, { hop: 'platform', isOutbound: true })?.title).toBe(
    'The call limit of the account was reached',
  )
  expect(describePlatformReason(response, { hop: 'unknown', isOutbound: false })).toBeUndefined()
})
