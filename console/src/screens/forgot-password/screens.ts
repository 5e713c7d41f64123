import { defineScreen } from '../../page/screen.ts'

export const forgotPassword = defineScreen({
  path: '/forgot-password',
  title: 'Forgot Password',
  load: () => import('./forgot-password.tsx'),
  stage: 'visitor',
  onlyWith: 'forgot-password',
})
