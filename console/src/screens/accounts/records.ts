import { accountsQuery } from '../../api/queries.ts'
import { queryClient } from '../../api/query-client.ts'
import type { FoundRecord } from '../../routes/define-screen.ts'
import { editAccount } from '../../routes/accounts.ts'

const toFoundRecord = (label: string, account_sid: string): FoundRecord => ({
  label,
  sid: account_sid,
  link: { to: editAccount.path, params: { account_sid } },
})

/** The search reuses a list that was read within the last minute. Edits in this console invalidate that list. */
const freshMs = 60_000

export const read = async (service_provider_sid: string): Promise<readonly FoundRecord[]> => {
  const accounts = await queryClient.fetchQuery({ ...accountsQuery(service_provider_sid), staleTime: freshMs })
  return accounts.map(({ name, account_sid }) => toFoundRecord(name, account_sid))
}

/** Returns a link for a SID that is not in the list, because the account may belong to another provider. */
export const unknown = (sid: string): FoundRecord => toFoundRecord(`Open account ${sid}`, sid)
