import type { RecordsModule, Screen } from '../routes/define-screen.ts'
import { userList } from '../routes/users.ts'
import { accountList } from '../routes/accounts.ts'
import { clientList } from '../routes/clients.ts'
import { applicationList } from '../routes/applications.ts'
import { carrierList } from '../routes/carriers.ts'
import { speechList } from '../routes/speech-services.ts'
import { teamsTenantList } from '../routes/ms-teams-tenants.ts'
import { routingList } from '../routes/lcr.ts'

/** The lists whose records the command palette finds by name or sid, with the chunk that reads them. */
export const paletteRecords: readonly { screen: Screen; load: () => Promise<RecordsModule> }[] = [
  { screen: userList, load: () => import('../screens/users/records.ts') },
  { screen: accountList, load: () => import('../screens/accounts/records.ts') },
  { screen: clientList, load: () => import('../screens/clients/records.ts') },
  { screen: applicationList, load: () => import('../screens/applications/records.ts') },
  { screen: carrierList, load: () => import('../screens/carriers/records.ts') },
  { screen: speechList, load: () => import('../screens/speech-services/records.ts') },
  { screen: teamsTenantList, load: () => import('../screens/ms-teams-tenants/records.ts') },
  { screen: routingList, load: () => import('../screens/lcr/records.ts') },
]
