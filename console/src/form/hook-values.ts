import type { Hook } from '@patchbay/contract/api/hooks'
import { webhookLengths } from '@patchbay/contract/webhooks/record'
import { hookMethods } from '@patchbay/contract/webhooks/webhooks'
import { maxText, z } from '../zod.ts'

/** The form values of a webhook. User name and password are kept while basic authentication is off. */

/**
 * Returns the schema for the form values of a webhook.
 * @param url schema of the URL
 */
export const hookValues = (url: z.ZodMiniType<string, string>) =>
  z
    .object({
      url,
      method: z.enum(hookMethods),
      withAuthentication: z.boolean(),
      username: z.string().check(maxText(webhookLengths.username)),
      password: z.string().check(maxText(webhookLengths.password)),
    })
    .check((context) => {
      const { url: address, withAuthentication, username, password } = context.value
      if (address === '' || !withAuthentication) return
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
export type HookValues = z.infer<ReturnType<typeof hookValues>>

export const noHook: HookValues = { url: '', method: 'POST', withAuthentication: false, username: '', password: '' }

/** Returns the form values of a stored webhook. */
export const toHookValues = (hook: Hook | null): HookValues =>
  hook === null
    ? noHook
    : {
        url: hook.url,
        method: hook.method,
        withAuthentication: Boolean(hook.username || hook.password),
        username: hook.username ?? '',
        password: hook.password ?? '',
      }

/** Returns the webhook for a request. Without authentication, user name and password are null. */
export const toHookPayload = ({ url, method, withAuthentication, username, password }: HookValues): Hook => ({
  url,
  method,
  username: withAuthentication ? username : null,
  password: withAuthentication ? password : null,
})
