import { type ReactNode, useState } from 'react'
import { lazyPart } from '../../../lazy/lazy-part.tsx'
import { connectCarrier } from '../../../routes/carriers.ts'
import { useScreenSearch } from '../../../screen/links.tsx'
import { ScreenHeader } from '../../../screen/screen-header.tsx'
import { useProviderSid } from '../../../session/current-provider.ts'
import { requiredSession } from '../../../session/session.ts'
import { stored } from '../../../session/storage.ts'
import type { CarrierValues } from '../form/carrier-form.ts'
import { ChooseType } from './choose-type.tsx'
import styles from './guided.module.css'
import { isTrunkKind } from './trunk-kinds.ts'

/** Only one of the steps is needed at a time, so each loads on demand, except the first. */
const Finish = lazyPart('carrier setup end', async () => (await import('./finish.tsx')).Finish)
const TrunkForm = lazyPart('trunk form', async () => (await import('./trunk-form.tsx')).TrunkForm)
const PredefinedStep = lazyPart(
  'predefined carrier',
  async () => (await import('./predefined-step.tsx')).PredefinedStep,
)

/** Sets up a carrier step by step. The step is in the URL, and what was typed stays while the user changes the type. */
export const ConnectCarrierPage = (): ReactNode => {
  const { type, carrier } = useScreenSearch(connectCarrier)
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const account_sid = actor.account_sid ?? stored.accountFilter.read() ?? ''
  const [typed, setTyped] = useState<CarrierValues>()

  const renderStep = () => {
    if (carrier !== undefined) return <Finish voip_carrier_sid={carrier} />
    if (type === 'predefined')
      return <PredefinedStep service_provider_sid={service_provider_sid} initialAccount={account_sid} />
    if (!isTrunkKind(type)) return <ChooseType />
    return (
      <TrunkForm
        key={type}
        kind={type}
        service_provider_sid={service_provider_sid}
        account_sid={account_sid}
        typed={typed}
        onClose={setTyped}
      />
    )
  }
  return (
    <>
      <ScreenHeader
        screen={connectCarrier}
        description="Set up a SIP trunk step by step: type, addresses, and a check of the connection."
      />
      <div className={styles['stack']}>{renderStep()}</div>
    </>
  )
}
