import { type ReactNode, useMemo, useRef } from 'react'
import { useWatch } from 'react-hook-form'
import { RecordForm } from '../../form/record-form.tsx'
import { useAddForm } from '../../form/use-add-form.ts'
import { useProviderSid } from '../../session/current-provider.ts'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { requiredSession } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import { type CarrierValues, carrierFieldErrors, carrierValues, emptyCarrier } from './form/carrier-form.ts'
import { CarrierSection } from './form/carrier-section.tsx'
import { CarrierTabs } from './form/carrier-tabs.tsx'
import { changeCarrier, createCarrier, type SetSid } from './form/save-carrier.ts'
import { nameErrors } from './form/name-conflicts.ts'
import { PredefinedSection } from './predefined-section.tsx'
import { addCarrier, carrierList } from '../../routes/carriers.ts'

/** The part of a new carrier that is already stored, after a save in which some of the gateways failed. */
interface StoredCarrierPart {
  voip_carrier_sid: string
  stored: CarrierValues
}

/** Adds a carrier to an account, or to the service provider for all of its accounts. */
export const AddCarrierPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const storedPart = useRef<StoredCarrierPart>(undefined)
  const account_sid = actor.account_sid ?? stored.accountFilter.read() ?? ''
  const start = useMemo(() => ({ ...emptyCarrier, account_sid }), [account_sid])

  /** Records the SID of a saved gateway, so that a retry does not create the gateway again. */
  const setSid: SetSid = (path, sid) => {
    const { setValue, getValues } = state.form
    setValue(path, sid)
    if (storedPart.current === undefined) return
    const { stored: before } = storedPart.current
    const isSaved = (row: { sip_gateway_sid?: string; smpp_gateway_sid?: string }) =>
      (row.sip_gateway_sid ?? row.smpp_gateway_sid) === sid
    const { sip_gateways, smpp_gateways } = getValues()
    storedPart.current.stored = {
      ...before,
      sip_gateways: [...before.sip_gateways, ...sip_gateways.filter(isSaved)],
      smpp_gateways: [...before.smpp_gateways, ...smpp_gateways.filter(isSaved)],
    }
  }

  const state = useAddForm<CarrierValues>({
    list: carrierList,
    create: async (values) => {
      if (storedPart.current === undefined)
        return createCarrier(values, service_provider_sid, {
          setSid,
          onCarrierCreated: (voip_carrier_sid) => {
            storedPart.current = { voip_carrier_sid, stored: { ...values, sip_gateways: [], smpp_gateways: [] } }
          },
        })
      const { voip_carrier_sid, stored: before } = storedPart.current
      await changeCarrier({ voip_carrier_sid, service_provider_sid, values, before, setSid })
      return voip_carrier_sid
    },
    done: 'Carrier created successfully',
    changes: [['carriers']],
    getAccount: (values) => values.account_sid,
    schema: carrierValues,
    stored: start,
    check: ({ name }) => nameErrors(service_provider_sid, name, storedPart.current?.voip_carrier_sid),
    toFieldErrors: carrierFieldErrors,
  })
  const chosen = useWatch({ control: state.form.control, name: 'account_sid' })
  return (
    <>
      <ScreenHeader
        screen={addCarrier}
        description="Connect a SIP or SMPP trunk: gateways, authentication, and registration."
      />
      <RecordForm label="Add a carrier" state={state} list={carrierList}>
        <PredefinedSection service_provider_sid={service_provider_sid} account_sid={chosen} />
        <CarrierSection />
        <CarrierTabs service_provider_sid={service_provider_sid} stored={start} />
      </RecordForm>
    </>
  )
}
