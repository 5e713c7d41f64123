import { screen } from '../../page/screen.ts'

export const resetPassword = screen({
  path: '/reset-password/$id',
  title: 'Reset Password',
  load: () => import('./reset-password.tsx'),
  stage: 'anyone',
  onlyWith: 'forgot-password',
})
