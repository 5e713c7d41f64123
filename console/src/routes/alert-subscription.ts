import { defineScreen } from './define-screen.ts'

export const alertMails = defineScreen({
  path: '/alert-mails/$act/$link',
  title: 'Alerts by email',
  audience: 'anyone',
})
