import { defineScreen } from './define-screen.ts'

export const resetPassword = defineScreen({
  path: '/reset-password/$id',
  title: 'Reset Password',
  load: () => import('../screens/reset-password/reset-password.tsx'),
  stage: 'anyone',
  onlyWith: 'forgot-password',
})
