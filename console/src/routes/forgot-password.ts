import { defineScreen } from './define-screen.ts'

export const forgotPassword = defineScreen({
  path: '/forgot-password',
  title: 'Forgot Password',
  audience: 'visitor',
  featureFlag: 'forgot-password',
})
