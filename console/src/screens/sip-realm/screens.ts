import { defineScreen } from '../../page/screen.ts'
import { accountList } from '../accounts/screens.ts'

export const editSipRealm = defineScreen({
  path: '/internal/accounts/$account_sid/sip-realm/edit',
  title: 'Edit Sip Realm',
  load: () => import('./edit-sip-realm.tsx'),
  ownAccount: true,
  under: accountList,
  changes: true,
})
