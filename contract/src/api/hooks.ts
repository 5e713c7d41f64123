import { z } from 'zod'
import { webhookLengths } from '../webhooks/record.ts'
import { hookMethods, isWebhookUrl, validateHookUrl } from '../webhooks/webhooks.ts'
import { anySid, text } from './values.ts'

/** A webhook: url, method, username, password (docs/reference/platform-api/tenants.md#account-object). */

export const hook = z.object({
  url: z.string(),
  method: z.enum(hookMethods),
  username: z.string().nullable(),
  password: z.string().nullable(),
})
export type Hook = z.infer<typeof hook>

/**
 * A webhook of an application. Its SID identifies it, so that it can be changed in place
 * (docs/reference/platform-api/applications.md#application-object).
 */
export const storedHook = z.object({ webhook_sid: z.string(), ...hook.shape })
export type StoredHook = z.infer<typeof storedHook>

const method = z
  .string()
  .transform((value) => value.toUpperCase())
  .pipe(z.enum(hookMethods, { error: 'must be GET or POST' }))

/** Null or an object without a URL means no webhook. */
export const hookIn = z
  .strictObject({
    url: text(webhookLengths.url)
      .refine((url) => url === '' || isWebhookUrl(url), { error: 'must be an http, https, ws or wss address' })
      .nullish(),
    method: method.nullish(),
    username: text(webhookLengths.username).nullish(),
    password: text(webhookLengths.password).nullish(),
  })
  .nullable()

/** A webhook that is created as a record of its own. */
export const newHook = hookIn.unwrap().extend({
  url: text(webhookLengths.url).refine(isWebhookUrl, { error: 'must be an http, https, ws or wss address' }),
})
export type NewHook = z.output<typeof newHook>

export type HookIn = z.output<typeof hookIn>

/**
 * Returns the schema of a webhook in a request for an application. `webhook_sid` must refer to a webhook of the same
 * application. Null is invalid, and `url` is required.
 * @param field name of the member, for error messages
 * @param doing `adding` or `updating`, for error messages
 */
export const applicationHookIn = (field: string, doing: string) =>
  z.strictObject(
    {
      webhook_sid: anySid.nullish(),
      url: text(webhookLengths.url).refine((url) => validateHookUrl(url) === undefined, {
        error: ({ input }) => `${field} ${validateHookUrl(String(input))}`,
        abort: true,
      }),
      method: method.nullish(),
      username: text(webhookLengths.username).nullish(),
      password: text(webhookLengths.password).nullish(),
    },
    {
      error: ({ code }) =>
        code === 'invalid_type' ? `'${field}' must be an object when ${doing} an application` : undefined,
    },
  )
export type ApplicationHookIn = z.output<ReturnType<typeof applicationHookIn>>
