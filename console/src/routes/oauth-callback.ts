import { defineScreen } from './define-screen.ts'

export interface CallbackSearch {
  code?: string
  state?: string
  /** why the provider sends the visitor back without a code (RFC 6749 §4.1.2.1) */
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
