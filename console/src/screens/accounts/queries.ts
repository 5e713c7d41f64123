import type { Account } from '@patchbay/contract/accounts'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { accountsQuery, queryCallOptions } from '../../api/shared-queries.ts'
import { editAccount } from '../../routes/accounts.ts'
import { type FindRecords, type RecordsModule, recordLink } from '../../routes/record-link.ts'

export const accountContentsQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account-contents', account_sid],
    queryFn: (context) =>
      api('GET /patchbay/accounts/:account_sid/contents', { params: { account_sid } }, queryCallOptions(context)),
    // The counts are not cached, so that the dialog shows current data.
    staleTime: 0,
    gcTime: 0,
  })

export const accountLink = recordLink(editAccount, ({ name }: Pick<Account, 'account_sid' | 'name'>) => name)

/** Returns the accounts of a service provider for the command palette. */
export const findRecords: FindRecords = async ({ toFoundRecords, service_provider_sid, read }) =>
  toFoundRecords(accountLink, await read(accountsQuery(service_provider_sid)))

/** Returns a record for a SID that is not in the list, because the account may belong to another provider. */
export const findUnknown: RecordsModule['findUnknown'] = (account_sid, { toFoundRecords }) =>
  toFoundRecords(accountLink, [{ account_sid, name: `Open account ${account_sid}` }])
