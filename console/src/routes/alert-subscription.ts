import { defineScreen } from './define-screen.ts'

export const alertMails = defineScreen({
  path: '/alert-mails/$act/$link',
  title: 'Alerts by e-mail',
  load: () => import('../screens/alert-subscription/alert-subscription.tsx'),
  stage: 'anyone',
})
