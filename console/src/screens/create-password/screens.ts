import { screen } from '../../page/screen.ts'

export const createPassword = screen({
  path: '/create-password',
  title: 'Create password',
  load: () => import('./create-password.tsx'),
  stage: 'forced-change',
})
