import type { Client } from '@patchbay/contract/clients'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { queryCallOptions } from '../../api/queries.ts'
import type { AccountSummary } from '../../record/use-accounts-in-scope.ts'
import { registeredNames } from '../../record/fetch-registered-usernames.ts'

export const clientsQuery = queryOptions({
  queryKey: ['clients'],
  queryFn: (context) => api('GET /Clients', {}, queryCallOptions(context)),
})

export const clientQuery = (client_sid: string) =>
  queryOptions({
    queryKey: ['client', client_sid],
    queryFn: (context) => api('GET /Clients/:client_sid', { params: { client_sid } }, queryCallOptions(context)),
  })

const tellsAll = (): boolean => config().extensions.has('registered-clients')

/** By what it is told that a client is registered: the platform's own server knows names alone. */
export const registeredBy = ({ client_sid, username }: Client): string => (tellsAll() ? client_sid : (username ?? ''))

/** Whether it can be known: of all clients at once, or on the platform's own server of an account that has a realm. */
export const isRegistrationKnown = (account: AccountSummary | undefined): boolean =>
  !config().switches.has('no-registrations') && (tellsAll() || Boolean(account?.sip_realm))

const asSet = (found: string[]): ReadonlySet<string> => new Set(found)

export const registeredQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['registered-sip-users', 'clients', tellsAll() ? '' : account_sid],
    queryFn: (context) =>
      tellsAll()
        ? api('GET /patchbay/registered-clients', {}, queryCallOptions(context))
        : registeredNames(account_sid, queryCallOptions(context)),
    select: asSet,
  })
