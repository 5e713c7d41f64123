import { queryClient } from '../api/query-client.ts'
import { accountsQuery } from '../api/shared-queries.ts'
import type { RecordReader } from '../routes/record-link.ts'
import { requiredSession } from '../session/session.ts'

/** Maximum age of the lists that the palette searches. Edits in this console invalidate the lists earlier. */
const staleTimeMs = 60_000

/** Creates the reader with which the palette reads the records of a service provider. */
export const createRecordReader = (service_provider_sid: string): RecordReader => {
  const read: RecordReader['read'] = (query) => queryClient.fetchQuery({ ...query, staleTime: staleTimeMs })
  return {
    service_provider_sid,
    read,
    readOfAccounts: async (query) => {
      // The API returns to account users only the records of their own account.
      if (requiredSession().actor.scope === 'account') return read(query)
      const [rows, accounts] = await Promise.all([read(query), read(accountsQuery(service_provider_sid))])
      const sids = new Set(accounts.map(({ account_sid }) => account_sid))
      return rows.filter(({ account_sid }) => sids.has(account_sid))
    },
    toFoundRecords: ({ to, toParams, rowKey, toName }, rows, toAlso) =>
      rows.map((row) => ({
        label: toName(row) ?? '',
        sid: rowKey(row),
        link: { to: to.path, params: toParams(row) },
        ...(toAlso && { also: toAlso(row) }),
      })),
  }
}
