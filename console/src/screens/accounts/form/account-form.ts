import type { Account } from '@patchbay/contract/accounts'
import { accountLengths } from '@patchbay/contract/accounts/record'
import { isSipRealm } from '@patchbay/contract/sip-realms/realm'
import { webhookLengths } from '@patchbay/contract/webhooks/record'
import { isWebhookUrl } from '@patchbay/contract/webhooks/webhooks'
import { type HookValues, hookValues, noHook, toHookPayload, toHookValues } from '../../../form/hook-values.ts'
import { type LimitRows, limitsValues, toLimitsValues } from '../../../sections/limits/limits.ts'
import { requiredText, trimmedText, z } from '../../../zod.ts'
import { noRecording, recordingValues, toRecordingValues } from './recording/recording-values.ts'

/** Values of the account form and their conversion from and to the API. */

const optionalHook = hookValues(
  trimmedText(webhookLengths.url).check(
    z.refine((url) => url === '' || isWebhookUrl(url), {
      error: 'Enter a URL that starts with http://, https://, ws://, or wss://',
    }),
  ),
)

export const accountValues = z.object({
  name: requiredText(accountLengths.name, 'Enter a name'),
  sip_realm: trimmedText(accountLengths.sip_realm).check(
    z.refine((realm) => realm === '' || isSipRealm(realm), { error: 'Enter a domain name such as sip.example.com' }),
  ),
  registration_hook: optionalHook,
  queue_event_hook: optionalHook,
  enable_debug_log: z.boolean(),
  device_calling_application_sid: z.string(),
  siprec_hook_sid: z.string(),
  limits: limitsValues,
  recording: recordingValues,
})
export type AccountValues = z.infer<typeof accountValues>

export const emptyAccount: AccountValues = {
  name: '',
  sip_realm: '',
  registration_hook: noHook,
  queue_event_hook: noHook,
  enable_debug_log: false,
  device_calling_application_sid: '',
  siprec_hook_sid: '',
  limits: toLimitsValues([]),
  recording: noRecording,
}

/** The records of the form, which are saved separately. */
export interface AccountRecords {
  account: Account
  limits: LimitRows
}

export const toFormValues = ({ account, limits }: AccountRecords): AccountValues => ({
  name: account.name,
  sip_realm: account.sip_realm ?? '',
  registration_hook: toHookValues(account.registration_hook),
  queue_event_hook: toHookValues(account.queue_event_hook),
  enable_debug_log: account.enable_debug_log === 1,
  device_calling_application_sid: account.device_calling_application_sid ?? '',
  siprec_hook_sid: account.siprec_hook_sid ?? '',
  limits: toLimitsValues(limits),
  recording: toRecordingValues(account),
})

const toHookOrNull = (hook: HookValues) => (hook.url === '' ? null : toHookPayload(hook))

/** Returns the request body that creating and updating have in common. The queue event hook always uses POST. */
export const toAccountPayload = (values: AccountValues) => ({
  name: values.name.trim(),
  sip_realm: values.sip_realm.trim().toLowerCase() || null,
  registration_hook: toHookOrNull(values.registration_hook),
  queue_event_hook: toHookOrNull({ ...values.queue_event_hook, method: 'POST' }),
})

/** Returns the fields that only an update sends: a new account has no applications yet. */
export const toApplicationsPayload = ({ device_calling_application_sid, siprec_hook_sid }: AccountValues) => ({
  device_calling_application_sid: device_calling_application_sid || null,
  siprec_hook_sid: siprec_hook_sid || null,
})
