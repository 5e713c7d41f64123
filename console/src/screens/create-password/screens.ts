import { defineScreen } from '../../page/screen.ts'

export const createPassword = defineScreen({
  path: '/create-password',
  title: 'Create password',
  load: () => import('./create-password.tsx'),
  stage: 'forced-change',
})
