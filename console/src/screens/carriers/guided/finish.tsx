import { can } from '@patchbay/contract/access'
import { useQuery } from '@tanstack/react-query'
import { carrierQuery } from '../../../api/record-queries.ts'
import { FormLoading } from '../../../form/form-loading.tsx'
import { lazyPart } from '../../../lazy/lazy-part.tsx'
import { editCarrier } from '../../../routes/carriers.ts'
import { overview } from '../../../routes/overview.ts'
import { addPhoneNumber } from '../../../routes/phone-numbers.ts'
import { canOpen } from '../../../routes/define-screen.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { requiredSession } from '../../../session/session.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'
import { Forbidden } from '../../../ui/list-state.tsx'
import styles from './guided.module.css'
import { CarrierSide } from './carrier-side.tsx'
import { getTrunkKind } from './trunk-kinds.ts'

const ConnectionCheck = lazyPart(
  'connection check',
  async () => (await import('../connection-check/connection-check.tsx')).ConnectionCheck,
)

/** The last step: what to enter at the carrier, and whether its gateways respond. */
export const Finish = ({ voip_carrier_sid }: { voip_carrier_sid: string }) => {
  const query = useQuery(carrierQuery(voip_carrier_sid))
  const { actor } = requiredSession()
  const carrier = query.data
  if (carrier === undefined) return <FormLoading queries={[query]} sections={2} />
  if (!can(actor, 'read', carrier)) return <Forbidden />
  return (
    <>
      <CarrierSide kind={getTrunkKind(carrier)} service_provider_sid={carrier.service_provider_sid ?? ''} />
      <ConnectionCheck voip_carrier_sid={voip_carrier_sid} startsImmediately showsRegistration />
      <FormSection
        title="Next steps"
        description={`${carrier.name} is saved. Calls to your numbers need a phone number that uses it.`}
      >
        <div className={styles['links']}>
          <ScreenLink to={addPhoneNumber} className={buttonClass('primary')}>
            Add a phone number
          </ScreenLink>
          <ScreenLink to={editCarrier} params={{ voip_carrier_sid }} className={buttonClass('secondary')}>
            All settings of {carrier.name}
          </ScreenLink>
          {canOpen(overview, actor) && (
            <ScreenLink to={overview} className={buttonClass('secondary')}>
              Back to the overview
            </ScreenLink>
          )}
        </div>
      </FormSection>
    </>
  )
}
