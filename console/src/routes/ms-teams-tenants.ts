import { MessagesSquare } from 'lucide-react'
import { accountSearch } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { searchSelect } from '../fields/use-lazy-search-select.ts'
import { tabSearch } from './tab-search-params.ts'

export const teamsTenantList = defineScreen({
  path: '/internal/ms-teams-tenants',
  title: 'MS Teams Tenants',
  load: () => import('../screens/ms-teams-tenants/list.tsx'),
  search: accountSearch,
  menu: {
    group: 'byo',
    icon: MessagesSquare,
    // Without a domain of the provider no tenant can be reached.
    params: (_actor, provider) => (provider?.ms_teams_fqdn ? {} : undefined),
  },
  key: 'm',
  records: () => import('../screens/ms-teams-tenants/records.ts'),
  pieces: [searchSelect],
})

export const addTeamsTenant = defineScreen({
  path: '/internal/ms-teams-tenants/add',
  title: 'Add a Microsoft Teams tenant',
  load: () => import('../screens/ms-teams-tenants/add.tsx'),
  under: teamsTenantList,
  changes: true,
})

export const editTeamsTenant = defineScreen({
  path: '/internal/ms-teams-tenants/$ms_teams_tenant_sid/edit',
  title: 'Edit Microsoft Teams tenant',
  load: () => import('../screens/ms-teams-tenants/edit.tsx'),
  search: tabSearch,
  under: teamsTenantList,
})

export const teamsTenantScreens = [teamsTenantList, addTeamsTenant, editTeamsTenant]
