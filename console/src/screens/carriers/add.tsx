import { type ReactNode, useMemo, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { RecordForm } from '../../form/record-form.tsx'
import { useAddForm } from '../../form/use-add-form.ts'
import { addCarrier, carrierList, connectCarrier } from '../../routes/carriers.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import { buttonClass } from '../../ui/button.tsx'
import { type CarrierValues, carrierFieldErrors, carrierValues, emptyCarrier } from './form/carrier-form.ts'
import { CarrierSection } from './form/carrier-section.tsx'
import { CarrierTabs } from './form/carrier-tabs.tsx'
import { GatewayDeletion } from './form/gateway-deletion.ts'
import { useCreateCarrier } from './form/use-create-carrier.ts'
import styles from './guided/guided.module.css'
import { PredefinedSection } from './predefined-section.tsx'

/** Adds a carrier to an account, or to the service provider for all of its accounts. */
export const AddCarrierPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const account_sid = actor.account_sid ?? stored.accountFilter.read() ?? ''
  const start = useMemo(() => ({ ...emptyCarrier, account_sid }), [account_sid])
  const [template, setTemplate] = useState('')
  const { create, check } = useCreateCarrier(service_provider_sid)
  const state = useAddForm<CarrierValues>({
    list: carrierList,
    create: (values): Promise<string> => create(values, state.form),
    done: 'Carrier created successfully',
    changes: [['carriers']],
    getAccount: (values) => values.account_sid,
    schema: carrierValues,
    stored: start,
    check,
    toFieldErrors: carrierFieldErrors,
  })
  const chosen = useWatch({ control: state.form.control, name: 'account_sid' })
  return (
    <>
      <ScreenHeader
        screen={addCarrier}
        description="Connect a SIP or SMPP trunk: gateways, authentication, and registration."
        actions={
          <ScreenLink to={connectCarrier} className={buttonClass('secondary')}>
            Set up step by step
          </ScreenLink>
        }
      />
      <div className={styles['stack']}>
        <PredefinedSection
          service_provider_sid={service_provider_sid}
          account_sid={chosen}
          onAccountChange={(sid) => state.form.setValue('account_sid', sid, { shouldDirty: true })}
          chosen={template}
          onChoose={setTemplate}
        />
        {/* Hidden for a template, which has its own button to save. The form keeps what the user has typed. */}
        <div hidden={template !== ''}>
          <RecordForm label="Add a carrier" state={state} list={carrierList}>
            <CarrierSection />
            <GatewayDeletion value={state.rebase}>
              <CarrierTabs service_provider_sid={service_provider_sid} stored={start} />
            </GatewayDeletion>
          </RecordForm>
        </div>
      </div>
    </>
  )
}
