import { z } from 'zod'
import { type Scope, scopes } from './api/access.ts'
import { type Descriptions, endpoints } from './api/endpoint.ts'

/** Sign-in and sign-out (docs/reference/platform-api/identity.md#sign-in). */

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

/**
 * Claims of tokens that this server issues (docs/reference/platform-api/identity.md#session-tokens). Claims without a
 * value are absent.
 */
export interface TokenClaims {
  scope: Scope
  user_sid: string
  name: string
  /** Set for a user who has just registered. */
  email?: string
  permissions: string[]
  is_view_only: boolean
  account_sid?: string
  account_name?: string
  service_provider_sid?: string
  service_provider_name?: string
  /**
   * SHA-256 of the password reset link for which the token was issued. The token can only change the password with that
   * link.
   */
  reset_link?: string
  /**
   * When the user signed in, in seconds since the Unix epoch (OpenID Connect Core §2). Renewing a session does not
   * change it.
   */
  auth_time?: number
}

/**
 * Claims that the server reads from a verified token. Tokens of the platform name a user or, between components, none
 * (docs/reference/platform-api/identity.md#session-validity). They lack the claims that the server can load from the
 * database.
 */
export const signedClaims = z.object({
  scope: z.enum(scopes),
  user_sid: z.string().optional(),
  account_sid: z.string().nullish(),
  service_provider_sid: z.string().nullish(),
  permissions: z.array(z.string()).optional(),
  is_view_only: z.boolean().optional(),
  auth_time: z.number().optional(),
  reset_link: z.string().optional(),
})
export type SignedClaims = z.infer<typeof signedClaims>

export const sessionEndpoints = endpoints({
  'POST /login': {
    summary: 'Sign in with user name and password',
    access: { minScope: 'public', owner: 'none' },
    body: loginBody,
    responses: { 200: loginAnswer },
  },
  'POST /logout': {
    summary: 'Sign out: end all sessions of the user',
    access: {
      minScope: 'account',
      owner: 'self',
      usersOnly: true,
      whilePasswordMustChange: true,
      allowSuspended: true,
      allowViewOnly: true,
    },
    responses: { 204: null },
  },
  'POST /patchbay/session': {
    summary: 'Renew the session of an active user: returns a new token with the same permissions',
    access: { minScope: 'account', owner: 'self', usersOnly: true, allowSuspended: true, allowViewOnly: true },
    responses: { 200: z.object({ token: z.string() }) },
  },
})

/** Descriptions of fields for the API documentation. */
export const sessionDescriptions: Descriptions = {
  permissions: 'Permissions of the user.',
}
