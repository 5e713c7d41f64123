import type { PhoneNumber } from '@patchbay/contract/phone-numbers'
import { useQuery } from '@tanstack/react-query'
import { accountQuery, applicationQuery, carrierQuery } from '../../api/record-queries.ts'
import { editAccount } from '../../routes/accounts.ts'
import { editApplication } from '../../routes/applications.ts'
import { editCarrier } from '../../routes/carriers.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { Reference, type ReferenceLink } from '../../ui/format/reference.tsx'
import styles from './form/bulk.module.css'

const carrierLink = (voip_carrier_sid: string) => (props: ReferenceLink) => (
  <ScreenLink to={editCarrier} params={{ voip_carrier_sid }} {...props} />
)
const accountLink = (account_sid: string) => (props: ReferenceLink) => (
  <ScreenLink to={editAccount} params={{ account_sid }} {...props} />
)
const applicationLink = (application_sid: string) => (props: ReferenceLink) => (
  <ScreenLink to={editApplication} params={{ application_sid }} {...props} />
)

/** Links to the carrier, account, and application of a number. No other record refers to a phone number. */
export const RefersTo = ({ number }: { number: PhoneNumber }) => {
  const { voip_carrier_sid, account_sid, application_sid } = number
  const carrier = useQuery({ ...carrierQuery(voip_carrier_sid ?? ''), enabled: voip_carrier_sid !== null })
  const account = useQuery({ ...accountQuery(account_sid ?? ''), enabled: account_sid !== null })
  const application = useQuery({ ...applicationQuery(application_sid ?? ''), enabled: application_sid !== null })
  return (
    <div className={styles['fields']}>
      <p>No other record refers to a phone number, so you can delete it at any time.</p>
      <DefinitionList
        entries={[
          [
            'Carrier',
            <Reference
              key="carrier"
              sid={voip_carrier_sid}
              name={carrier.data?.name}
              {...(voip_carrier_sid ? { link: carrierLink(voip_carrier_sid) } : {})}
            />,
          ],
          [
            'Account',
            <Reference
              key="account"
              sid={account_sid}
              name={account.data?.name}
              {...(account_sid ? { link: accountLink(account_sid) } : {})}
            />,
          ],
          [
            'Application',
            <Reference
              key="application"
              sid={application_sid}
              name={application_sid ? application.data?.name : 'None'}
              {...(application_sid ? { link: applicationLink(application_sid) } : {})}
            />,
          ],
        ]}
      />
    </div>
  )
}
