import type { ReactNode } from 'react'
import type { RecordTable } from '../../record/record-counts.ts'
import { applicationList } from '../../routes/applications.ts'
import { carrierList } from '../../routes/carriers.ts'
import { clientList } from '../../routes/clients.ts'
import { routingList } from '../../routes/lcr.ts'
import { teamsTenantList } from '../../routes/ms-teams-tenants.ts'
import { phoneNumberList } from '../../routes/phone-numbers.ts'
import { speechList } from '../../routes/speech-services.ts'
import { userList } from '../../routes/users.ts'
import { ListLink, type ListTarget } from '../../screen/list-link.tsx'
import { requiredSession } from '../../session/session.ts'

/** Returns the list of exactly the records of a kind that belong to an account, unless no list shows them alone. */
const getList = (table: RecordTable, account: string): ListTarget | undefined => {
  const isOwn = requiredSession().actor.scope === 'account'
  switch (table) {
    case 'users':
      return { to: userList, search: { account } }
    case 'applications':
      return { to: applicationList, search: { account } }
    case 'phone_numbers':
      return { to: phoneNumberList, search: { account } }
    case 'voip_carriers':
      return { to: carrierList, search: { account, owned: 'true' } }
    case 'lcrs':
      return { to: routingList, search: { account } }
    case 'ms_teams_tenants':
      return { to: teamsTenantList, search: { account } }
    case 'clients':
      return { to: clientList, search: { account } }
    case 'speech_credentials':
      // Users of the account also see the services of its provider.
      return isOwn ? undefined : { to: speechList, search: { account } }
    default:
      return undefined
  }
}

interface ContentsLinkProps {
  table: RecordTable
  account_sid: string
  /** Names the count and the records. */
  label: string
  onClick?: () => void
  children: ReactNode
}

/** A count of records of an account, as a link to the list of these records if there is one. */
export const ContentsLink = ({ table, account_sid, label, onClick, children }: ContentsLinkProps) => (
  <ListLink list={getList(table, account_sid)} aria-label={label} onClick={onClick}>
    {children}
  </ListLink>
)
