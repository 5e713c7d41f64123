import type { Client } from '@patchbay/contract/clients'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { runtime } from '../../api/configuration.ts'
import { reading } from '../../api/queries.ts'
import type { KnownAccount } from '../../page/known-accounts.ts'
import { registeredNames } from '../../page/registered-names.ts'

export const clientsQuery = queryOptions({
  queryKey: ['clients'],
  queryFn: (context) => call('GET /Clients', {}, reading(context)),
})

export const clientQuery = (client_sid: string) =>
  queryOptions({
    queryKey: ['client', client_sid],
    queryFn: (context) => call('GET /Clients/:client_sid', { params: { client_sid } }, reading(context)),
  })

const tellsAll = (): boolean => runtime().extensions.has('registered-clients')

/** By what it is told that a client is registered: the platform's own server knows names alone. */
export const registeredBy = ({ client_sid, username }: Client): string => (tellsAll() ? client_sid : (username ?? ''))

/** Whether it can be known: of all clients at once, or on the platform's own server of an account that has a realm. */
export const isRegistrationKnown = (account: KnownAccount | undefined): boolean =>
  !runtime().switches.has('no-registrations') && (tellsAll() || Boolean(account?.sip_realm))

const asSet = (found: string[]): ReadonlySet<string> => new Set(found)

export const registeredQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['registered-sip-users', 'clients', tellsAll() ? '' : account_sid],
    queryFn: (context) =>
      tellsAll()
        ? call('GET /patchbay/registered-clients', {}, reading(context))
        : registeredNames(account_sid, reading(context)),
    select: asSet,
  })
