import { type Application, newApplication } from '@patchbay/contract/applications'
import type { AppEnv } from '@patchbay/rules/webhooks/app-env'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../api/api-error.ts'
import {
  type ApplicationValues,
  applicationChanges,
  applicationFieldErrors,
  applicationValues,
  emptyApplication,
  envErrors,
  nameTaken,
  toFormValues,
  toPayload,
} from './application-form.ts'

const hook = { ...emptyApplication.call_hook, url: 'https://a.example/hook' }
const account_sid = 'b5d2ffb2-3c3f-4f4e-8f4c-6f5b5b0a9a11'
const full: ApplicationValues = {
  ...emptyApplication,
  name: 'Reception',
  account_sid,
  call_hook: hook,
  call_status_hook: hook,
}

const errorsByField = (more: Partial<ApplicationValues>) =>
  Object.fromEntries(
    (applicationValues.safeParse({ ...full, ...more }).error?.issues ?? []).map(({ path, message }) => [
      path.join('.'),
      message,
    ]),
  )

const notAnAddress = 'Enter a URL that starts with http://, https://, ws://, or wss://'

describe('the form', () => {
  const hookNames = ['call_hook', 'call_status_hook'] as const
  test.each(hookNames)('APPS-16 APPS-17 both webhooks are required: %s', (name) => {
    expect(errorsByField({ [name]: { ...hook, url: ' ' } })).toEqual({ [`${name}.url`]: 'Enter an address' })
    for (const url of ['a.example', 'ftp://a.example', 'https://a_b.example'])
      expect(errorsByField({ [name]: { ...hook, url } })).toEqual({ [`${name}.url`]: notAnAddress })
    for (const url of ['http://localhost:3000/hook', 'wss://a.example', ' https://a.example '])
      expect(errorsByField({ [name]: { ...hook, url } })).toEqual({})
  })

  const both = 'HTTP basic authentication needs both username and password'
  test.each<[string, string, string[]]>([
    ['u', '', ['password']],
    ['', 'p', ['username']],
    ['', '', ['username', 'password']],
    ['u', 'p', []],
  ])('APPS-20 basic authentication with user name "%s" and password "%s" lacks %j', (username, password, missing) => {
    for (const name of hookNames) {
      const errors = Object.fromEntries(missing.map((field) => [`${name}.${field}`, both]))
      expect(errorsByField({ [name]: { ...hook, withAuthentication: true, username, password } })).toEqual(errors)
      const without = { ...hook, withAuthentication: false, username, password }
      expect(errorsByField({ [name]: without })).toEqual({})
      expect(toPayload({ ...full, [name]: without })[name]).toMatchObject({ username: null, password: null })
    }
  })

  test('requires a name, an account, and verbs if they replace the first webhook request', () => {
    expect(errorsByField({ name: ' ', account_sid: '', overrides: true, app_json: ' ' })).toEqual({
      name: 'Enter a name',
      account_sid: 'Choose an account',
      app_json: 'Enter an array of verbs',
    })
    expect(errorsByField({ overrides: true, app_json: '[]' })).toEqual({})
  })

  test.each([
    ['name', 64],
    ['call_hook.url', 1024],
    ['call_status_hook.username', 255],
    ['call_hook.password', 255],
  ])('limits %s to %i characters in the form and in the API', (field, max) => {
    const validateLength = (length: number) => {
      const [name = '', member] = field.split('.')
      const text = member === 'url' ? 'https://a.example/'.padEnd(length, 'x') : 'x'.repeat(length)
      const secrets = { withAuthentication: true, username: 'u', password: 'p' }
      const values = { ...full, [name]: member === undefined ? text : { ...hook, ...secrets, [member]: text } }
      const [issue] = applicationValues.safeParse(values).error?.issues ?? []
      const onWire = newApplication.safeParse(toPayload(values))
      return { form: issue && [issue.path.join('.'), issue.message], wire: onWire.error?.issues[0]?.message }
    }
    expect(validateLength(max)).toEqual({ form: undefined, wire: undefined })
    expect(validateLength(max + 1)).toEqual({
      form: [field, `Use at most ${max} characters`],
      wire: `must be at most ${max} characters long`,
    })
  })
})

describe('request body', () => {
  const stored = {
    name: 'Reception',
    account_sid,
    call_hook: { webhook_sid: 'w1', url: hook.url, method: 'POST', username: null, password: null },
    call_status_hook: { webhook_sid: 'w2', url: hook.url, method: 'GET', username: 'u', password: 'p' },
    app_json: '[{"verb":"answer"}]',
    record_all_calls: 1,
    speech_synthesis_vendor: 'google',
    speech_recognizer_vendor: 'google',
    fallback_speech_synthesis_vendor: null,
    fallback_speech_recognizer_vendor: null,
  } as Application
  const before = toFormValues(stored)

  test('contains only the changed members of an application', () => {
    expect(applicationChanges(before, before, stored)).toEqual({})
    expect(applicationChanges({ ...before, overrides: false }, before, stored)).toEqual({ app_json: null })
    expect(applicationChanges({ ...before, name: 'Desk ', record_all_calls: false }, before, stored)).toEqual({
      name: 'Desk',
      record_all_calls: false,
    })
  })

  test('contains both webhooks with their SIDs and the name if one webhook has changed', () => {
    const call_hook = { ...before.call_hook, url: 'wss://b.example', method: 'GET' as const }
    expect(applicationChanges({ ...before, call_hook }, before, stored)).toEqual({
      name: 'Reception',
      call_hook: { webhook_sid: 'w1', url: 'wss://b.example', method: 'GET', username: null, password: null },
      call_status_hook: stored.call_status_hook,
    })
    const without = { ...stored, call_hook: null }
    expect(applicationChanges({ ...before, call_hook }, toFormValues(without), without)).toMatchObject({
      call_hook: { url: 'wss://b.example', method: 'GET', username: null, password: null },
    })
  })
})

describe('environment variables', () => {
  const described: AppEnv = {
    GREETING: { type: 'string', description: 'd', required: true },
    RETRIES: { type: 'number', description: 'd', default: 3 },
  }
  const stored = {
    name: 'Reception',
    account_sid,
    call_hook: null,
    call_status_hook: null,
    fallback_speech_synthesis_vendor: null,
    fallback_speech_recognizer_vendor: null,
  } as Application
  const before = {
    ...toFormValues({ ...stored, env_vars: { OTHER: 'kept' } }),
    call_hook: hook,
    call_status_hook: hook,
  }
  const change = (more: Partial<ApplicationValues>) =>
    applicationChanges({ ...before, ...more }, before, stored, described)

  test('reports required variables that are empty and values that are invalid', () => {
    const getErrors = (env_vars: object) => envErrors(described, { ...before, env_vars: { ...env_vars } })
    for (const env_vars of [{}, { GREETING: '' }, { GREETING: undefined }])
      expect(getErrors(env_vars)).toEqual({ 'env_vars.GREETING': 'Enter a value' })
    expect(getErrors({ GREETING: 'hi', RETRIES: 'x' })).toEqual({
      'env_vars.RETRIES': 'The webhook does not accept this value',
    })
    expect(getErrors({ GREETING: 'hi' })).toEqual({})
  })

  test('sends no variables if the user has changed none, even if a webhook declares new defaults', () => {
    expect(change({})).toEqual({})
    expect(change({ name: 'Desk' })).toEqual({ name: 'Desk' })
  })

  test('sends all variables and defaults if one variable or a webhook URL has changed', () => {
    const env_vars = { OTHER: 'kept', GREETING: 'hi', RETRIES: 3 }
    expect(change({ env_vars: { OTHER: 'kept', GREETING: 'hi' } })).toEqual({ env_vars })
    expect(change({ call_hook: { ...hook, url: 'https://b.example' } })).toMatchObject({
      env_vars: { OTHER: 'kept', RETRIES: 3 },
    })
    // A webhook that is slow or declares nothing must not remove stored variables.
    expect(
      applicationChanges({ ...before, call_hook: { ...hook, url: 'https://b.example' } }, before, stored, {}),
    ).not.toHaveProperty('env_vars')
  })

  test('sends null if the last variable is removed', () => {
    const all = { ...before, env_vars: { OTHER: undefined } }
    expect(applicationChanges(all, before, stored, {})).toEqual({ env_vars: null })
    expect(toPayload({ ...full, env_vars: {} })).toMatchObject({ env_vars: null })
  })
})

test.each<[number, string, string | undefined, object]>([
  [422, 'Duplicate entry: name is already in use', 'name', nameTaken],
  [422, 'Duplicate entry', undefined, nameTaken],
  [400, 'call_hook URL is invalid', 'call_hook.url', { 'call_hook.url': 'call_hook URL is invalid' }],
  [400, 'call_status_hook URL is invalid', undefined, { 'call_status_hook.url': 'call_status_hook URL is invalid' }],
  [400, 'Error: play: missing value for url', 'app_json', { app_json: 'Error: play: missing value for url' }],
  [400, 'Error: play: missing value for url', undefined, { app_json: 'Error: play: missing value for url' }],
  [400, 'missing field account_sid', undefined, { account_sid: 'missing field account_sid' }],
  ...(['env_vars.A', undefined] as const).map((field): [number, string, string | undefined, object] => [
    400,
    'Missing required value env_vars.A',
    field,
    { 'env_vars.A': 'Missing required value env_vars.A' },
  ]),
  [400, 'must be shorter', 'constructor', {}],
  [500, 'It is away', undefined, {}],
])('shows API error %i "%s" for %s at its field', (status, message, field, marked) => {
  expect(applicationFieldErrors(new ApiError('rejected', status, message, field ? { field } : {}))).toEqual(marked)
})
