import { defineScreen } from './define-screen.ts'

export interface SignInSearch {
  /** the address to go back to; only those of the console itself are */
  next?: string
  /** signing in again while a session still lives */
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
