import { accountList } from './accounts.ts'
import { defineScreen } from './define-screen.ts'

export const editSipRealm = defineScreen({
  path: '/internal/accounts/$account_sid/sip-realm/edit',
  title: 'Edit Sip Realm',
  ownAccount: true,
  parent: accountList,
  requiresWrite: true,
})
