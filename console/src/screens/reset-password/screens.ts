import { defineScreen } from '../../page/screen.ts'

export const resetPassword = defineScreen({
  path: '/reset-password/$id',
  title: 'Reset Password',
  load: () => import('./reset-password.tsx'),
  stage: 'anyone',
  onlyWith: 'forgot-password',
})
