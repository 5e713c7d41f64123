import type { Page } from '@playwright/test'
import type { Tenant } from './test.ts'

/** Simulates many users of the tenant's account. The list is generated in the page, which costs the server nothing. */
export const showManyUsers = (page: Page, count: number, tenant: Tenant) =>
  page.addInitScript(
    ([many, { account_sid, accountName, service_provider_sid, providerName }]) => {
      const users = Array.from({ length: many }, (_, index) => ({
        user_sid: `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`,
        name: `person ${index}`,
        email: `person.${index}@example.org`,
        scope: 'account',
        is_active: 1,
        is_view_only: false,
        force_change: 0,
        provider: 'local',
        account_sid,
        account_name: accountName,
        service_provider_sid,
        service_provider_name: providerName,
      }))
      const real = window.fetch.bind(window)
      window.fetch = (address, ...rest) =>
        typeof address === 'string' && address.endsWith('/Users')
          ? Promise.resolve(Response.json(users))
          : real(address, ...rest)
    },
    [count, tenant] as const,
  )
