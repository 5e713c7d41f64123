import { z } from 'zod'
import { scopes } from './access.ts'
import { endpoints } from './endpoint.ts'

/** Signing in and out (api/1-identity.md §2, §3). */

const credential = z
  .custom<string>((value) => typeof value === 'string' && value !== '', {
    error: 'username and password are both required',
  })
  .meta({ type: 'string' })

export const loginBody = z.object({ username: credential, password: credential })

export const loginAnswer = z.object({
  token: z.string(),
  user_sid: z.string(),
  scope: z.enum(scopes),
  force_change: z.boolean(),
  permissions: z.array(z.string()),
  service_provider_sid: z.string().optional(),
  service_provider_name: z.string().optional(),
  account_sid: z.string().optional(),
  account_name: z.string().optional(),
})

/** What a token carries; absent claims are left out (api/1-identity.md §2.2). */
export const tokenClaims = z.object({
  scope: z.enum(scopes),
  user_sid: z.string(),
  name: z.string(),
  permissions: z.array(z.string()),
  is_view_only: z.boolean(),
  account_sid: z.string().optional(),
  account_name: z.string().optional(),
  service_provider_sid: z.string().optional(),
  service_provider_name: z.string().optional(),
})
export type TokenClaims = z.infer<typeof tokenClaims>

export const sessionEndpoints = endpoints({
  'POST /login': {
    summary: 'Sign in with user name and password',
    access: { least: 'public', owner: 'none' },
    body: loginBody,
    answers: { 200: loginAnswer },
  },
  'POST /logout': {
    summary: 'End all sessions of the signed-in user',
    access: { least: 'account', owner: 'self', usersOnly: true, whilePasswordMustChange: true, viewOnlyMay: true },
    answers: { 204: null },
  },
  'POST /patchbay/session': {
    summary: 'Renew the session of a user who is active: a fresh token with the same rights',
    access: { least: 'account', owner: 'self', usersOnly: true, viewOnlyMay: true },
    answers: { 200: z.object({ token: z.string() }) },
  },
})
