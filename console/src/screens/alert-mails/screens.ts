import { defineScreen } from '../../page/screen.ts'

export const alertMails = defineScreen({
  path: '/alert-mails/$act/$link',
  title: 'Alerts by e-mail',
  load: () => import('./alert-mails.tsx'),
  stage: 'anyone',
})
