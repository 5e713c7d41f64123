import { carrierList } from '../../routes/carriers.ts'
import { speechList } from '../../routes/speech-services.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import styles from './services-section.module.css'

/** Links to the carriers and speech services of the account. */
export const ServicesSection = ({ account_sid }: { account_sid: string }) => {
  const search = { account: account_sid }
  return (
    <FormSection title="Services" description="Carriers and speech services available to this account.">
      <div className={styles['links']}>
        <ScreenLink to={carrierList} search={search} className={buttonClass()}>
          Carriers
        </ScreenLink>
        <ScreenLink to={speechList} search={search} className={buttonClass()}>
          Speech services
        </ScreenLink>
      </div>
    </FormSection>
  )
}
