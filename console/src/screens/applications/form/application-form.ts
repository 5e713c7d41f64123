import type { Application, NewApplication } from '@patchbay/contract/applications'
import { type AppEnv, validateEnv, toStoredEnv } from '@patchbay/contract/webhooks/app-env'
import { applicationLengths, webhookLengths } from '@patchbay/contract/shared/column-lengths'
import { validateHookUrl } from '@patchbay/contract/webhooks/webhooks'
import type { ApiError } from '../../../api/api-error.ts'
import { changedMembers } from '../../../form/changed-members.ts'
import { toHookPayload, hookValues, toHookValues, noHook } from '../../../form/hook-values.ts'
import type { FieldErrors } from '../../../form/use-record-form.tsx'
import { requiredText, z } from '../../../zod.ts'
import { toSpeechValues, toSpeechPayload, speechValues, usualSpeech } from './speech-values.ts'

/** The values of the form of an application; the sections edit them, add and edit send them. */

const hook = hookValues(
  requiredText(webhookLengths.url, 'Enter an address').check(
    z.refine((url) => url === '' || validateHookUrl(url) === undefined, {
      error: 'Enter an address that starts with http://, https://, ws:// or wss://',
    }),
  ),
)

export const applicationValues = z
  .object({
    name: requiredText(applicationLengths.name, 'Enter a name'),
    account_sid: z.string().check(z.minLength(1, { error: 'Choose an account' })),
    call_hook: hook,
    call_status_hook: hook,
    /** the verbs take the place of the webhook's first answer */
    overrides: z.boolean(),
    app_json: z.string(),
    record_all_calls: z.boolean(),
    primary: speechValues,
    fallsBack: z.boolean(),
    fallback: speechValues,
    /** by name; undefined where one was taken away */
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

/** What was read of variables that the form does not show goes back as it came. */
const noneIfEmpty = (variables: Record<string, unknown>) =>
  Object.keys(variables).length === 0 ? null : (variables as NonNullable<NewApplication['env_vars']>)

/** What creating sends; `described` are the variables that its webhooks want, as far as they have said. */
export const toPayload = (values: ApplicationValues, described: AppEnv = {}) => ({
  name: values.name.trim(),
  account_sid: values.account_sid,
  call_hook: toHookPayload(values.call_hook),
  call_status_hook: toHookPayload(values.call_status_hook),
  app_json: values.overrides ? values.app_json : null,
  record_all_calls: values.record_all_calls,
  ...toSpeechPayload(values),
  env_vars: noneIfEmpty(toStoredEnv(described, values.env_vars)),
})

type Sent = ReturnType<typeof toPayload>

/** A hook keeps its sid, and so its place. */
const inPlace = (sent: Sent['call_hook'], stored: Application['call_hook']) =>
  stored === null ? sent : { webhook_sid: stored.webhook_sid, ...sent }

/** Whose variables they are, and what they are. */
const variablesOf = ({ call_hook, call_status_hook, env_vars }: ApplicationValues) =>
  JSON.stringify([call_hook.url, call_status_hook.url, env_vars])

/**
 * What changing sends: what is not as it was. Where neither variables nor the addresses of webhooks were changed,
 * what a webhook has as default by now is not stored. The platform's own server wants both webhooks where it gets one,
 * and something beside them (api/1-identity.md §11.5).
 */
export const applicationChanges = (
  values: ApplicationValues,
  before: ApplicationValues,
  stored: Application,
  described: AppEnv = {},
) => {
  const sent = toPayload(values, variablesOf(values) === variablesOf(before) ? {} : described)
  const { call_hook, call_status_hook, ...rest } = changedMembers(sent, toPayload(before))
  if (call_hook === undefined && call_status_hook === undefined) return rest
  return {
    name: sent.name,
    ...rest,
    call_hook: inPlace(sent.call_hook, stored.call_hook),
    call_status_hook: inPlace(sent.call_status_hook, stored.call_status_hook),
  }
}

const faultTexts = { missing: 'Enter a value', invalid: 'This is not a value that the webhook takes' } as const

/** What of the variables is not as the webhooks want it. */
export const envErrors = (described: AppEnv, values: ApplicationValues): FieldErrors<ApplicationValues> =>
  Object.fromEntries(
    validateEnv(described, toStoredEnv(described, values.env_vars)).map(({ name, fault }) => [
      `env_vars.${name}`,
      faultTexts[fault],
    ]),
  )

const taken = 'The name you have entered is already in use on another one of your applications.'

export const nameTaken = { name: taken } as const

/** Where the platform's own server, which names no field, says in its words what is wrong (api/1-identity.md §11.4). */
const fieldBySaying: readonly (readonly [
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

export const applicationRefusal = ({ field, status, message }: ApiError): FieldErrors<ApplicationValues> => {
  if (status === 422 && (field === 'name' || /duplicate/i.test(message))) return nameTaken
  const variable = variableIn(message)
  if (variable !== undefined) return { [variable]: message }
  if (field !== undefined) return fields.has(field) ? { [field]: message } : {}
  const said = fieldBySaying.find(([saying]) => saying.test(message))
  return said ? { [said[1]]: message } : {}
}
