import { defineScreen } from './define-screen.ts'

export const forgotPassword = defineScreen({
  path: '/forgot-password',
  title: 'Forgot Password',
  load: () => import('../screens/forgot-password/forgot-password.tsx'),
  stage: 'visitor',
  onlyWith: 'forgot-password',
})
