import { screen } from '../../page/screen.ts'

export const forgotPassword = screen({
  path: '/forgot-password',
  title: 'Forgot Password',
  load: () => import('./forgot-password.tsx'),
  stage: 'visitor',
  onlyWith: 'forgot-password',
})
