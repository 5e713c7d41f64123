import { can } from '@patchbay/contract/api/access'
import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { useQuery } from '@tanstack/react-query'
import { FormLoading } from '../../../form/form-loading.tsx'
import { lazyPart } from '../../../lazy/lazy-part.tsx'
import { editCarrier } from '../../../routes/carriers.ts'
import { canOpen } from '../../../routes/define-screen.ts'
import { overview } from '../../../routes/overview.ts'
import { addPhoneNumber } from '../../../routes/phone-numbers.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { requiredSession } from '../../../session/session.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { Forbidden } from '../../../ui/table/list-state.tsx'
import { toFormValues } from '../form/carrier-form.ts'
import { wholeCarrierQuery } from '../form/carrier-query.ts'
import { CarrierSide } from './carrier-side.tsx'
import styles from './guided.module.css'
import { findPlaceholders } from './template-values.ts'
import { getTrunkKind } from './trunk-kinds.ts'

const ConnectionCheck = lazyPart(
  'connection check',
  async () => (await import('../connection-check/connection-check.tsx')).ConnectionCheck,
)

const TemplateForm = lazyPart('carrier template', async () => (await import('./template-form.tsx')).TemplateForm)

/** The last step of a trunk. For a carrier from a template, it asks for the missing values first. */
export const Finish = ({ voip_carrier_sid }: { voip_carrier_sid: string }) => {
  const query = useQuery(wholeCarrierQuery(voip_carrier_sid))
  if (query.data === undefined) return <FormLoading queries={[query]} sections={2} />
  const { carrier } = query.data
  if (!can(requiredSession().actor, 'read', carrier)) return <Forbidden />
  const values = toFormValues(query.data)
  const placeholders = findPlaceholders(values)
  if (placeholders === undefined) return <Result carrier={carrier} />
  return <TemplateForm voip_carrier_sid={voip_carrier_sid} created={values} placeholders={placeholders} />
}

/** Shows what to enter at the carrier, and whether its gateways respond. */
const Result = ({ carrier }: { carrier: VoipCarrier }) => {
  const { actor } = requiredSession()
  const { voip_carrier_sid } = carrier
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
