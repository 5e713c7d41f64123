import type { RegisteredUser } from '@patchbay/contract/registered-sip-users'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { queryCallOptions } from '../api/shared-queries.ts'
import type { DefinitionEntry } from '../ui/definition-list.tsx'
import { RelativeTime } from '../ui/format/time.tsx'

/** The registration of one SIP user. */
export const registrationQuery = (account_sid: string, client: string) =>
  queryOptions({
    queryKey: ['registered-sip-users', account_sid, 'one', client],
    queryFn: (context) =>
      api(
        'GET /Accounts/:account_sid/RegisteredSipUsers/:client',
        { params: { account_sid, client } },
        queryCallOptions(context),
      ),
  })

/** Shows when a registration expires, or nothing without a registration. */
export const formatExpiry = ({ expiryTime }: Partial<Pick<RegisteredUser, 'expiryTime'>>) =>
  expiryTime ? <RelativeTime iso={new Date(expiryTime).toISOString()} /> : null

interface Registration extends Pick<RegisteredUser, 'contact' | 'protocol' | 'expiryTime'> {
  proxy: string | null
}

/** From where a device is registered, how, and until when. */
export const registrationEntries = (registration: Registration): readonly DefinitionEntry[] => [
  ['Contact', registration.contact ?? '–', { mono: true }],
  ['Protocol', registration.protocol ?? '–'],
  ['Proxy', registration.proxy ?? '–', { mono: true }],
  ['Expires', formatExpiry(registration) ?? '–'],
]
