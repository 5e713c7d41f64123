import type { Application, NewApplication } from '@patchbay/contract/applications'
import { applicationLengths } from '@patchbay/contract/applications/record'
import { webhookLengths } from '@patchbay/contract/webhooks/record'
import { validateHookUrl } from '@patchbay/contract/webhooks/webhooks'
import { type AppEnv, toStoredEnv, validateEnv } from '@patchbay/rules/webhooks/app-env'
import type { ApiError } from '../../../api/api-error.ts'
import { changedMembers } from '../../../form/changed-members.ts'
import { hookValues, noHook, toHookPayload, toHookValues } from '../../../form/hook-values.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import { requiredText, z } from '../../../zod.ts'
import { speechValues, toSpeechPayload, toSpeechValues, usualSpeech } from './speech-values.ts'

/** Form values of an application, shared by the form sections and by the add and edit screens. */

const hook = hookValues(
  requiredText(webhookLengths.url, 'Enter an address').check(
    z.refine((url) => url === '' || validateHookUrl(url) === undefined, {
      error: 'Enter a URL that starts with http://, https://, ws://, or wss://',
    }),
  ),
)

export const applicationValues = z
  .object({
    name: requiredText(applicationLengths.name, 'Enter a name'),
    account_sid: z.string().check(z.minLength(1, { error: 'Choose an account' })),
    call_hook: hook,
    call_status_hook: hook,
    /** True if calls start with the verbs in `app_json` instead of a request to the calling webhook. */
    overrides: z.boolean(),
    app_json: z.string(),
    record_all_calls: z.boolean(),
    primary: speechValues,
    fallsBack: z.boolean(),
    fallback: speechValues,
    /** Values by variable name. Undefined for a variable that the user removed. */
    env_vars: z.record(z.string(), z.unknown()),
  })
  .check((context) => {
    const { overrides, app_json } = context.value
    if (overrides && app_json.trim() === '')
      context.issues.push({ code: 'custom', input: '', path: ['app_json'], message: 'Enter an array of verbs' })
  })
export type ApplicationValues = z.infer<typeof applicationValues>

export const emptyApplication: ApplicationValues = {
  name: '',
  account_sid: '',
  call_hook: noHook,
  call_status_hook: noHook,
  overrides: false,
  app_json: '',
  record_all_calls: false,
  primary: usualSpeech,
  fallsBack: false,
  fallback: usualSpeech,
  env_vars: {},
}

export const toFormValues = (application: Application): ApplicationValues => ({
  name: application.name,
  account_sid: application.account_sid ?? '',
  call_hook: toHookValues(application.call_hook),
  call_status_hook: toHookValues(application.call_status_hook),
  overrides: Boolean(application.app_json),
  app_json: application.app_json ?? '',
  record_all_calls: Boolean(application.record_all_calls),
  ...toSpeechValues(application),
  env_vars: application.env_vars ?? {},
})

/** Returns null for an empty object. The cast lets stored values of any type pass through unchanged. */
const toNullIfEmpty = (variables: Record<string, unknown>) =>
  Object.keys(variables).length === 0 ? null : (variables as NonNullable<NewApplication['env_vars']>)

/**
 * Returns the request body for creating an application. `described` holds the variables that its webhooks have declared
 * so far.
 */
export const toPayload = (values: ApplicationValues, described: AppEnv = {}) => ({
  name: values.name.trim(),
  account_sid: values.account_sid,
  call_hook: toHookPayload(values.call_hook),
  call_status_hook: toHookPayload(values.call_status_hook),
  app_json: values.overrides ? values.app_json : null,
  record_all_calls: values.record_all_calls,
  ...toSpeechPayload(values),
  env_vars: toNullIfEmpty(toStoredEnv(described, values.env_vars)),
})

type Sent = ReturnType<typeof toPayload>

/** Keeps the SID of the stored webhook, so the server updates it instead of creating another one. */
const withWebhookSid = (payload: Sent['call_hook'], stored: Application['call_hook']) =>
  stored === null ? payload : { webhook_sid: stored.webhook_sid, ...payload }

/** Serializes the variables together with the URLs of the webhooks that declare them, for comparison. */
const serializeVariables = ({ call_hook, call_status_hook, env_vars }: ApplicationValues) =>
  JSON.stringify([call_hook.url, call_status_hook.url, env_vars])

/**
 * Returns the changed members for an update. Declared defaults are added only if the variables or the webhook URLs have
 * changed. If one webhook has changed, both are sent together with the name. The jambonz API server rejects a status
 * webhook without a calling webhook, and fails if the body contains only webhooks
 * (docs/reference/platform-api/applications.md#update-an-application).
 */
export const applicationChanges = (
  values: ApplicationValues,
  before: ApplicationValues,
  stored: Application,
  described: AppEnv = {},
) => {
  const payload = toPayload(values, serializeVariables(values) === serializeVariables(before) ? {} : described)
  const { call_hook, call_status_hook, ...rest } = changedMembers(payload, toPayload(before))
  if (call_hook === undefined && call_status_hook === undefined) return rest
  return {
    name: payload.name,
    ...rest,
    call_hook: withWebhookSid(payload.call_hook, stored.call_hook),
    call_status_hook: withWebhookSid(payload.call_status_hook, stored.call_status_hook),
  }
}

const envErrorMessages = { missing: 'Enter a value', invalid: 'The webhook does not accept this value' } as const

/** Returns an error for each variable that is missing or invalid according to the declarations. */
export const envErrors = (described: AppEnv, values: ApplicationValues): FieldErrors<ApplicationValues> =>
  Object.fromEntries(
    validateEnv(described, toStoredEnv(described, values.env_vars)).map(({ name, fault }) => [
      `env_vars.${name}`,
      envErrorMessages[fault],
    ]),
  )

const nameTakenMessage = 'The name you have entered is already in use on another one of your applications.'

export const nameTaken = { name: nameTakenMessage } as const

/**
 * Fields by error message, for the jambonz API server, which names no field in its errors
 * (docs/reference/platform-api/applications.md#create-an-application).
 */
const fieldsByMessage: readonly (readonly [
  RegExp,
  keyof ApplicationValues | `${'call_hook' | 'call_status_hook'}.url`,
])[] = [
  [/^call_hook URL /, 'call_hook.url'],
  [/^call_status_hook URL /, 'call_status_hook.url'],
  [/^Error: /, 'app_json'],
  [/account_sid/, 'account_sid'],
]

const variableIn = (message: string): string | undefined => / (env_vars\.\w+)$/.exec(message)?.[1]

const fields = new Set<string>([
  'name',
  'account_sid',
  'app_json',
  'record_all_calls',
  ...['call_hook', 'call_status_hook'].flatMap((name) =>
    ['url', 'method', 'username', 'password'].map((member) => `${name}.${member}`),
  ),
])

export const applicationFieldErrors = ({ field, status, message }: ApiError): FieldErrors<ApplicationValues> => {
  if (status === 422 && (field === 'name' || /duplicate/i.test(message))) return nameTaken
  const variable = variableIn(message)
  if (variable !== undefined) return { [variable]: message }
  if (field !== undefined) return fields.has(field) ? { [field]: message } : {}
  const match = fieldsByMessage.find(([saying]) => saying.test(message))
  return match ? { [match[1]]: message } : {}
}
