import type { Account } from '@patchbay/contract/accounts'
import { accountLengths, webhookLengths } from '@patchbay/contract/rules/lengths'
import { isSipRealm } from '@patchbay/contract/rules/sip-realms'
import { hookMethods, isWebhookUrl } from '@patchbay/contract/rules/webhooks'
import { limitsOf, type LimitsValues, limitsValues } from '../../../page/limits/limits.ts'
import { noRecording, recordingOf, recordingValues } from './recording/recording-values.ts'
import { atMost, filled, line, z } from '../../../zod.ts'

/** The values of the account form; the sections edit them, add and edit send them. */

const hookValues = z
  .object({
    url: line(webhookLengths.url).check(
      z.refine((url) => url === '' || isWebhookUrl(url), {
        error: 'Enter an address that starts with http://, https://, ws:// or wss://',
      }),
    ),
    method: z.enum(hookMethods),
    withAuthentication: z.boolean(),
    username: z.string().check(atMost(webhookLengths.username)),
    password: z.string().check(atMost(webhookLengths.password)),
  })
  .check((context) => {
    const { url, withAuthentication, username, password } = context.value
    if (url === '' || !withAuthentication) return
    const missing = (path: string) =>
      context.issues.push({
        code: 'custom',
        input: '',
        path: [path],
        message: 'HTTP basic authentication needs both username and password',
      })
    if (username === '') missing('username')
    if (password === '') missing('password')
  })

export const accountValues = z.object({
  name: filled(accountLengths.name, 'Enter a name'),
  sip_realm: line(accountLengths.sip_realm).check(
    z.refine((realm) => realm === '' || isSipRealm(realm), { error: 'Enter a domain name such as sip.example.com' }),
  ),
  registration_hook: hookValues,
  queue_event_hook: hookValues,
  enable_debug_log: z.boolean(),
  device_calling_application_sid: z.string(),
  siprec_hook_sid: z.string(),
  limits: limitsValues,
  recording: recordingValues,
})
export type AccountValues = z.infer<typeof accountValues>
export type HookValues = AccountValues['registration_hook']
export type HookName = 'registration_hook' | 'queue_event_hook'

const noHook: HookValues = { url: '', method: 'POST', withAuthentication: false, username: '', password: '' }

export const emptyAccount: AccountValues = {
  name: '',
  sip_realm: '',
  registration_hook: noHook,
  queue_event_hook: noHook,
  enable_debug_log: false,
  device_calling_application_sid: '',
  siprec_hook_sid: '',
  limits: limitsOf([]),
  recording: noRecording,
}

const hookValuesOf = (hook: Account['registration_hook']): HookValues =>
  hook === null
    ? noHook
    : {
        url: hook.url,
        method: hook.method,
        withAuthentication: Boolean(hook.username || hook.password),
        username: hook.username ?? '',
        password: hook.password ?? '',
      }

export const valuesOf = (account: Account, limits: LimitsValues): AccountValues => ({
  name: account.name,
  sip_realm: account.sip_realm ?? '',
  registration_hook: hookValuesOf(account.registration_hook),
  queue_event_hook: hookValuesOf(account.queue_event_hook),
  enable_debug_log: account.enable_debug_log === 1,
  device_calling_application_sid: account.device_calling_application_sid ?? '',
  siprec_hook_sid: account.siprec_hook_sid ?? '',
  limits,
  recording: recordingOf(account),
})

const hookSent = ({ url, method, withAuthentication, username, password }: HookValues) =>
  url === ''
    ? null
    : {
        url,
        method,
        username: withAuthentication ? username : null,
        password: withAuthentication ? password : null,
      }

/** What both creating and changing send; the queue event hook is POST only. */
export const accountSent = (values: AccountValues) => ({
  name: values.name.trim(),
  sip_realm: values.sip_realm.trim().toLowerCase() || null,
  registration_hook: hookSent(values.registration_hook),
  queue_event_hook: hookSent({ ...values.queue_event_hook, method: 'POST' }),
})

/** What changing alone sends: an account that is made has no applications yet. */
export const applicationsSent = ({ device_calling_application_sid, siprec_hook_sid }: AccountValues) => ({
  device_calling_application_sid: device_calling_application_sid || null,
  siprec_hook_sid: siprec_hook_sid || null,
})
