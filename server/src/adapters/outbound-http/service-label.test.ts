import { expect, test } from 'vitest'
import { TransferTimeoutError } from './errors.ts'
import { getFailureLabel, getServiceLabel, getStatusClass } from './service-label.ts'
import { AddressNotAllowedError } from './ssrf-guard.ts'

test.each([
  ['api.deepgram.com', 'deepgram'],
  ['westus.tts.speech.microsoft.com', 'microsoft'],
  ['bucket.s3.eu-west-1.amazonaws.com', 'aws'],
  ['account.blob.core.windows.net', 'azure_storage'],
  ['API.STRIPE.COM', 'stripe'],
  ['api.dnsmadeeasy.com', 'dns_made_easy'],
])('labels %s as %s', (hostname, label) => {
  expect(getServiceLabel(hostname)).toBe(label)
})

test.each([
  'hooks.example.com',
  'notstripe.com',
  'stripe.com.attacker.example',
  'constructor',
  '__proto__.x',
  '127.0.0.1',
  '',
])('gives the host %j, which a tenant chose, no label of its own', (hostname) => {
  expect(getServiceLabel(hostname)).toBe('other')
})

test('labels every status and failure with one of a few values', () => {
  expect([99, 100, 204, 503, 599, 600, 999].map(getStatusClass)).toEqual([
    'other',
    '1xx',
    '2xx',
    '5xx',
    '5xx',
    'other',
    'other',
  ])
  const withCode = (code: string) => Object.assign(new Error('text of a peer'), { code })
  expect(
    [
      new AddressNotAllowedError('127.0.0.1'),
      new TransferTimeoutError('late'),
      new DOMException('stopped', 'AbortError'),
      withCode('ECONNREFUSED'),
      withCode('CERT_HAS_EXPIRED'),
      new Error('text of a peer'),
      'text',
    ].map(getFailureLabel),
  ).toEqual(['blocked', 'timeout', 'aborted', 'unreachable', 'failed', 'failed', 'failed'])
})
