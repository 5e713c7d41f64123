import { defineScreen } from './define-screen.ts'

export const createPassword = defineScreen({
  path: '/create-password',
  title: 'Create password',
  load: () => import('../screens/create-password/create-password.tsx'),
  stage: 'forced-change',
})
