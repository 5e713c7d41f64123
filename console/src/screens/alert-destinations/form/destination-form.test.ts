import { newAlertDestination } from '@patchbay/contract/alert-destinations'
import { expect, test } from 'vitest'
import { ApiError } from '../../../api/api-error.ts'
import { getFieldErrors } from '../../../form/field-errors.ts'
import { destinationFieldErrors, destinationValues, toFormValues, toPayload } from './destination-form.ts'

const full = {
  name: 'on call',
  account_sid: '',
  kind: 'webhook' as const,
  target: 'https://example.org/alerts',
  is_active: true,
  once_per_hour: false,
  is_narrowed: false,
  types: [],
}

const faults = (values: object) => getFieldErrors(destinationValues, { ...full, ...values })

test.each([
  [{}, {}],
  [{ name: ' ' }, { name: 'Enter a name' }],
  [{ target: '' }, { target: 'Enter where the alerts are sent to' }],
  [{ target: 'ftp://example.org' }, { target: 'Enter an http or https address' }],
  [{ kind: 'email' }, { target: 'Enter an email address' }],
  [{ kind: 'email', target: 'a@example.org' }, {}],
  [
    { kind: 'slack', target: 'a@example.org' },
    { target: 'Enter the address of the incoming webhook, which begins with https' },
  ],
  [{ kind: 'pagerduty' }, { target: 'Enter the integration key, which has 32 letters and digits' }],
  [{ kind: 'pagerduty', target: 'a'.repeat(32) }, {}],
  [{ is_narrowed: true }, { is_narrowed: 'Choose at least one type' }],
  [{ is_narrowed: true, types: ['no-tts'] }, {}],
])('%j of a destination: %j', (values, wrong) => {
  expect(faults(values)).toEqual(wrong)
})

test('builds a payload that the contract accepts and that reads back as the same values', () => {
  const values = destinationValues.parse({ ...full, name: ' on call ', is_narrowed: true, types: ['no-tts'] })
  const payload = toPayload(values)
  expect(newAlertDestination.safeParse({ ...payload, service_provider_sid: 'p' }).success).toBe(true)
  const stored = {
    alert_destination_sid: 'd',
    account_sid: null,
    service_provider_sid: 'p',
    ...payload,
    is_active: 1 as const,
    once_per_hour: 0 as const,
    created_at: null,
    is_confirmed: 1 as const,
    confirmation_sent_at: null,
  }
  expect(toFormValues({ ...stored, last_delivered_at: null, failing_since: null, last_error: null })).toEqual(values)
  expect(toPayload({ ...values, is_narrowed: false }).types).toEqual([])
})

test('shows an API error at the field that it names', () => {
  expect(destinationFieldErrors(new ApiError('rejected', 400, 'why', { field: 'target' }))).toEqual({ target: 'why' })
  expect(destinationFieldErrors(new ApiError('rejected', 400, 'why', { field: 'constructor' }))).toEqual({})
})
