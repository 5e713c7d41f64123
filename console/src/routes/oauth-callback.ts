import { defineScreen } from './define-screen.ts'

export interface CallbackSearch {
  code?: string
  state?: string
  /** The reason of the identity provider for not sending a code (RFC 6749 §4.1.2.1). */
  error?: string
  error_description?: string
}

const paramNames = ['code', 'state', 'error', 'error_description'] as const

export const oauthCallback = defineScreen({
  path: '/oauth-callback/$provider',
  title: 'Signing in',
  audience: 'anyone',
  search: (params): CallbackSearch =>
    Object.fromEntries(
      paramNames.flatMap((name) => {
        const value = params[name]
        return typeof value === 'string' ? [[name, value]] : []
      }),
    ),
})
