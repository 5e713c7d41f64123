import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../../api/record-queries.ts'
import { sbcsQuery } from '../../api/sbcs-query.ts'
import type { Suggestion } from '../../fields/suggested-field.tsx'
import { useAccounts } from '../../list/account-choice.ts'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'

/** Returns the hosts that calls can be sent to: the addresses of the SBCs, and the SIP realms of the accounts. */
export const useHosts = (): Suggestion[] => {
  const { account_sid } = requiredSession().actor
  const sbcs = useQuery(sbcsQuery(useProviderSid())).data ?? []
  const own = useQuery({ ...accountQuery(account_sid ?? ''), enabled: account_sid !== null }).data
  const accounts = useAccounts().data ?? (own === undefined ? [] : [own])
  return [
    ...sbcs.map(({ ipv4 }) => ({ value: ipv4, label: 'SBC' })),
    ...accounts.flatMap(({ sip_realm, name }) => (sip_realm ? [{ value: sip_realm, label: `Realm of ${name}` }] : [])),
  ]
}
