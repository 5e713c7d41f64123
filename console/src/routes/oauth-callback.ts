import { defineScreen } from './define-screen.ts'

export interface CallbackSearch {
  code?: string
  state?: string
  /** why the provider sends the visitor back without a code (RFC 6749 §4.1.2.1) */
  error?: string
  error_description?: string
}

const texts = ['code', 'state', 'error', 'error_description'] as const

export const oauthCallback = defineScreen({
  path: '/oauth-callback/$provider',
  title: 'Signing in',
  audience: 'anyone',
  search: (given): CallbackSearch =>
    Object.fromEntries(
      texts.flatMap((name) => {
        const value = given[name]
        return typeof value === 'string' ? [[name, value]] : []
      }),
    ),
})
