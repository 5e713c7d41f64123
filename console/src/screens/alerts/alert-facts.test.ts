import type { Alert } from '@patchbay/contract/alerts'
import { expect, test } from 'vitest'
import { toDetailGroups } from '../../record/record-fields.ts'
import { alertKey, alertShape } from './alert-facts.ts'

const call = '6f1f5f0a-7a68-4ab7-a7f3-f8a4f9f8ee11'

const alert = (more: Partial<Alert> = {}): Alert => ({
  time: '2026-11-21T12:00:00.000Z',
  account_sid: '0f1f5f0a-7a68-4ab7-a7f3-f8a4f9f8ee00',
  alert_type: 'webhook-failure',
  detail: null,
  message: 'https://example.org returned 503',
  service_provider_sid: null,
  target_sid: call,
  vendor: null,
  ...more,
})

test('groups the present fields of an alert, including fields added by newer servers', () => {
  const { detailGroups, unknown } = toDetailGroups(alert({ retry_count: 0 }), alertShape)
  expect(detailGroups.map(({ title, facts }) => [title, ...facts.map(({ label }) => label)])).toEqual([
    ['Alert', 'Time', 'Type', 'Message'],
    ['IDs', 'Concerns', 'Account SID'],
    ['Other', 'Retry count'],
  ])
  expect(unknown).toEqual(['Detail', 'Vendor', 'Service provider SID'])
})

test('gives alerts with the same timestamp different keys', () => {
  const alerts = [alert(), alert({ message: 'another' }), alert({ vendor: 'google' }), alert({ target_sid: null })]
  expect(new Set(alerts.map(alertKey)).size).toBe(4)
  expect(alertKey(alert())).toBe(alertKey(alert()))
})
