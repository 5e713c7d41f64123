import type { Account } from '@patchbay/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { carriersToChooseQuery } from '../../../api/record-queries.ts'
import { carrierList } from '../../../routes/carriers.ts'
import { editSipRealm } from '../../../routes/sip-realm.ts'
import { speechList } from '../../../routes/speech-services.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import styles from './hosted.module.css'
import { speechServicesQuery } from './queries.ts'

export interface MissingSetup {
  carriers: boolean
  speech: boolean
  realm: boolean
}

/**
 * Returns which parts of the setup are missing, or undefined while loading. A part that fails to load does not count as
 * missing.
 */
export const useMissingSetup = ({
  account_sid,
  service_provider_sid,
  sip_realm,
}: Account): MissingSetup | undefined => {
  const carriers = useQuery(carriersToChooseQuery(service_provider_sid, account_sid, ''))
  const speech = useQuery(speechServicesQuery(account_sid))
  if (carriers.isPending || speech.isPending) return undefined
  return { carriers: carriers.data?.total === 0, speech: speech.data?.length === 0, realm: !sip_realm }
}

/** Lists the setup steps that remain before the account can make calls. */
export const SetupSection = ({ account_sid, missingSetup }: { account_sid: string; missingSetup: MissingSetup }) => {
  if (!Object.values(missingSetup).some(Boolean)) return null
  const search = { account: account_sid }
  return (
    <FormSection title="Finish Account Setup" description="Complete these steps before you make calls.">
      <ul className={styles['todo']}>
        {missingSetup.realm && (
          <li>
            <ScreenLink to={editSipRealm} params={{ account_sid }}>
              Choose a SIP realm
            </ScreenLink>{' '}
            that your devices register with.
          </li>
        )}
        {missingSetup.carriers && (
          <li>
            <ScreenLink to={carrierList} search={search}>
              Add a carrier
            </ScreenLink>{' '}
            to receive and make calls.
          </li>
        )}
        {missingSetup.speech && (
          <li>
            <ScreenLink to={speechList} search={search}>
              Add a speech service
            </ScreenLink>{' '}
            to synthesize and recognize speech.
          </li>
        )}
      </ul>
    </FormSection>
  )
}
