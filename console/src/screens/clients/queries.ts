import type { Client } from '@patchbay/contract/clients'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { registeredNames } from '../../record/fetch-registered-usernames.ts'
import type { AccountSummary } from '../../record/use-accounts-in-scope.ts'
import { editClient } from '../../routes/clients.ts'
import { type FindRecords, recordLink } from '../../routes/record-link.ts'

export const clientsQuery = queryOptions({
  queryKey: ['clients'],
  queryFn: (context) => api('GET /Clients', {}, queryCallOptions(context)),
})

export const clientQuery = (client_sid: string) =>
  queryOptions({
    queryKey: ['client', client_sid],
    queryFn: (context) => api('GET /Clients/:client_sid', { params: { client_sid } }, queryCallOptions(context)),
  })

const listsAllAccounts = (): boolean => config().extensions.has('registered-clients')

/**
 * Returns the key of a client in the set of registered clients: its SID, or its user name on a server without the
 * `registered-clients` extension.
 */
export const getRegistrationKey = ({ client_sid, username }: Client): string =>
  listsAllAccounts() ? client_sid : (username ?? '')

/**
 * Returns true if registrations can be read. A server without the `registered-clients` extension needs an account with
 * a SIP realm.
 */
export const canReadRegistrations = (account: AccountSummary | undefined): boolean =>
  !config().switches.has('no-registrations') && (listsAllAccounts() || Boolean(account?.sip_realm))

const toSet = (registrationKeys: string[]): ReadonlySet<string> => new Set(registrationKeys)

export const registeredQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['registered-sip-users', 'clients', listsAllAccounts() ? '' : account_sid],
    queryFn: (context) =>
      listsAllAccounts()
        ? api('GET /patchbay/registered-clients', {}, queryCallOptions(context))
        : registeredNames(account_sid, queryCallOptions(context)),
    select: toSet,
  })

export const clientLink = recordLink(editClient, ({ username }: Client) => username)

/** Returns the SIP clients of a service provider for the command palette. */
export const findRecords: FindRecords = async ({ toFoundRecords, readOfAccounts }) =>
  toFoundRecords(clientLink, await readOfAccounts(clientsQuery))
