import { defineScreen } from './define-screen.ts'

export const createPassword = defineScreen({
  path: '/create-password',
  title: 'Create password',
  audience: 'forced-change',
})
