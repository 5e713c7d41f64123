import { maxObjectIdLength } from '@patchbay/contract/shared/alert-objects'
import { expect, test } from 'vitest'
import { toAlertObject } from './alert-objects.ts'

const facts = { account_sid: 'a', alert_type: 'webhook-failure', message: '', vendor: null }

test.each([
  ['webhook-failure', 'https://example.org/hook?call_sid=1 returned 503', 'https://example.org/hook'],
  [
    'webhook-connection-failure',
    'failed to connect to wss://user:secret@example.org:8080/a',
    'wss://example.org:8080/a',
  ],
  ['webhook-url-notfound', 'webhook url not found: http://example.org/', 'http://example.org/'],
  ['webhook-auth-failure', 'authentication failure: https://example.org/hook.', 'https://example.org/hook'],
  ['invalid-app-payload', 'https://example.org/x#y return invalid app payload', 'https://example.org/x'],
  ['play-url-notfound', 'The file at https://example.org/a.wav was not found', 'https://example.org/a.wav'],
])('%s is about the URL of its message, whatever its query', (alert_type, message, object_id) => {
  expect(toAlertObject({ ...facts, alert_type, message })).toEqual({ object_kind: 'url', object_id })
})

test('an alert about a carrier or a vendor names it, and other alerts concern their owner', () => {
  expect(toAlertObject({ ...facts, vendor: 'google', voip_carrier_sid: 'c' })).toEqual({
    object_kind: 'carrier',
    object_id: 'c',
  })
  expect(toAlertObject({ ...facts, alert_type: 'no-tts', vendor: 'google' })).toEqual({
    object_kind: 'vendor',
    object_id: 'google',
  })
  const ofAccount = { object_kind: 'account', object_id: null }
  const ofProvider = { object_kind: 'service_provider', object_id: null }
  expect(toAlertObject({ ...facts, message: 'no URL' })).toEqual(ofAccount)
  expect(toAlertObject({ ...facts, alert_type: 'alert-from-application', message: 'see https://x.org' })).toEqual(
    ofAccount,
  )
  expect(toAlertObject({ ...facts, alert_type: 'service-provider-call-limit' })).toEqual(ofProvider)
  expect(toAlertObject({ ...facts, account_sid: null })).toEqual(ofProvider)
})

test('a long URL is truncated to the length that is stored', () => {
  const message = `https://example.org/${'x'.repeat(1000)} returned 500`
  expect(toAlertObject({ ...facts, message }).object_id).toHaveLength(maxObjectIdLength)
})
