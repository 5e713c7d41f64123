import { Grid2x2 } from 'lucide-react'
import { accountSearch } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { tabSearch } from './tab-search-params.ts'

export const teamsTenantList = defineScreen({
  path: '/internal/ms-teams-tenants',
  title: 'MS Teams Tenants',
  search: accountSearch,
  menu: {
    group: 'BYO Services',
    icon: Grid2x2,
    // Tenants can be reached only if the provider has a domain for Microsoft Teams.
    params: (_actor, provider) => (provider?.ms_teams_fqdn ? {} : undefined),
  },
  shortcut: 'm',
})

export const addTeamsTenant = defineScreen({
  path: '/internal/ms-teams-tenants/add',
  title: 'Add a Microsoft Teams tenant',
  parent: teamsTenantList,
  requiresWrite: true,
})

export const editTeamsTenant = defineScreen({
  path: '/internal/ms-teams-tenants/$ms_teams_tenant_sid/edit',
  title: 'Edit Microsoft Teams tenant',
  search: tabSearch,
  parent: teamsTenantList,
})
