import { accountsQuery } from '../../api/queries.ts'
import { queryClient } from '../../api/query-client.ts'
import type { FoundRecord } from '../../routes/define-screen.ts'
import { editAccount } from '../../routes/accounts.ts'

const found = (label: string, account_sid: string): FoundRecord => ({
  label,
  sid: account_sid,
  link: { to: editAccount.path, params: { account_sid } },
})

/** Finding needs no later list than that of a minute ago; one that was changed here is read anew. */
const freshMs = 60_000

export const read = async (service_provider_sid: string): Promise<readonly FoundRecord[]> => {
  const accounts = await queryClient.fetchQuery({ ...accountsQuery(service_provider_sid), staleTime: freshMs })
  return accounts.map(({ name, account_sid }) => found(name, account_sid))
}

/** It may be of another provider. */
export const unknown = (sid: string): FoundRecord => found(`Open account ${sid}`, sid)
