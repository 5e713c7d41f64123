import { defineScreen } from './define-screen.ts'

export interface SignInSearch {
  /** The URL to return to. URLs outside of the console are ignored. */
  next?: string
  /** Set to sign in again while a session is active. */
  again?: 'yes'
}

const isOurs = (next: unknown): next is string => typeof next === 'string' && /^\/internal\/[^\\]*$/.test(next)

export const signIn = defineScreen({
  path: '/',
  title: 'Log in',
  audience: 'visitor',
  search: ({ next, again }): SignInSearch => ({
    ...(isOurs(next) ? { next } : {}),
    ...(again === 'yes' ? { again } : {}),
  }),
})
