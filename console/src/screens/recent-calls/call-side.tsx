import type { Call } from '@patchbay/contract/recent-calls'
import { useAccountName } from '../../list/account-choice.ts'
import { editAccount } from '../../routes/accounts.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { ApplicationName } from '../../sections/application-name.tsx'
import { type DefinitionEntry, DefinitionList } from '../../ui/definition-list.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { shortSid } from '../../ui/format/sid.tsx'
import styles from './call-side.module.css'

/** An identifier is read in the details, and copied from here. */
const toId = (name: string, id: string): DefinitionEntry => [
  name,
  <span key="id" title={id}>
    {shortSid(id)}
  </span>,
  { mono: true, copy: id },
]

/** The facts of a call that its title, the line below it, and its verdict do not say, as far as its record proves them. */
export const CallSide = ({ call }: { call: Call }) => {
  const { account_sid, application_sid, call_sid, sip_callid, trunk } = call
  const { name: accountName } = useAccountName(account_sid)
  const entries: (DefinitionEntry | false)[] = [
    application_sid !== null && ['Application', <ApplicationName key="name" application_sid={application_sid} />],
    accountName !== undefined && [
      'Account',
      <ScreenLink key="name" to={editAccount} params={{ account_sid }}>
        <Name>{accountName}</Name>
      </ScreenLink>,
    ],
    Boolean(trunk) && ['Trunk', <Name key="name">{trunk}</Name>],
    call_sid !== null && toId('Call SID', call_sid),
    sip_callid !== null && toId('SIP Call-ID', sip_callid),
  ]
  return (
    <section aria-label="Facts of the call">
      <h2 className={styles['title']}>Call</h2>
      <DefinitionList entries={entries.filter((entry) => entry !== false)} />
    </section>
  )
}
