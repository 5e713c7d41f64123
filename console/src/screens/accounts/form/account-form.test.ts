import { newAccount } from '@patchbay/contract/accounts'
import { recordFormats } from '@patchbay/contract/recordings/storage'
import { hookMethods } from '@patchbay/contract/webhooks/webhooks'
import { expect, test } from 'vitest'
import { accountValues, emptyAccount, toAccountPayload } from './account-form.ts'

test('COMMON-46 hooks use GET or POST, and queue event hooks always use POST', () => {
  expect(hookMethods).toEqual(['GET', 'POST'])
  const hookValues = { ...emptyAccount.registration_hook, url: 'https://a.example', method: 'GET' as const }
  const payload = toAccountPayload({ ...emptyAccount, registration_hook: hookValues, queue_event_hook: hookValues })
  expect([payload.registration_hook?.method, payload.queue_event_hook?.method]).toEqual(['GET', 'POST'])
})

test('COMMON-43 recordings are mp3 or wav, mp3 unless chosen', () => {
  expect(recordFormats).toEqual(['mp3', 'wav'])
  expect(emptyAccount.recording.record_format).toBe('mp3')
})

const hook = { ...emptyAccount.registration_hook, url: 'https://a.example', withAuthentication: true }
const withHook = (more: object) => ({
  registration_hook: { ...hook, username: 'u', password: 'p', ...more },
})

/** Creates valid form values in which one text has the given length. */
const formsOfLength: Readonly<Record<string, (length: number) => object>> = {
  name: (length) => ({ name: 'n'.repeat(length) }),
  // A label of a domain name has at most 63 characters.
  sip_realm: (length) => ({ sip_realm: 'sip.'.repeat(length).slice(0, length - 1) + 'x' }),
  'registration_hook.url': (length) => withHook({ url: 'https://a.example/'.padEnd(length, 'x') }),
  'registration_hook.username': (length) => withHook({ username: 'u'.repeat(length) }),
  'registration_hook.password': (length) => withHook({ password: 'p'.repeat(length) }),
}

test.each([
  ['name', 64],
  ['sip_realm', 132],
  ['registration_hook.url', 1024],
  ['registration_hook.username', 255],
  ['registration_hook.password', 255],
])('%s has at most %i characters, in the form and in the API', (field, max) => {
  const tried = (length: number) => {
    const values = { ...emptyAccount, name: 'n', ...formsOfLength[field]?.(length) }
    const { error } = accountValues.safeParse(values)
    const [issue] = error?.issues ?? []
    const onWire = newAccount.safeParse(toAccountPayload(values))
    return { form: issue && [issue.path.join('.'), issue.message], wire: onWire.error?.issues[0]?.message }
  }
  expect(tried(max)).toEqual({ form: undefined, wire: undefined })
  expect(tried(max + 1)).toEqual({
    form: [field, `Use at most ${max} characters`],
    wire: `must be at most ${max} characters long`,
  })
})
