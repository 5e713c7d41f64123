import { defineScreen } from './define-screen.ts'

export const resetPassword = defineScreen({
  path: '/reset-password/$id',
  title: 'Reset Password',
  audience: 'anyone',
  featureFlag: 'forgot-password',
})
