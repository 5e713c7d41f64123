import { useRef } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { FieldErrors } from '../../../form/use-record-form.tsx'
import type { CarrierValues } from './carrier-form.ts'
import { nameErrors } from './name-conflicts.ts'
import { changeCarrier, createCarrier, type SetSid } from './save-carrier.ts'

type Form = Pick<UseFormReturn<CarrierValues>, 'setValue' | 'getValues'>

/** The part of a new carrier that is already stored, after a save in which some of the gateways failed. */
interface StoredCarrierPart {
  voip_carrier_sid: string
  stored: CarrierValues
}

/**
 * Returns the functions that check and create the carrier of a form. A retry after a partial failure saves only what is
 * missing.
 */
export const useCreateCarrier = (service_provider_sid: string) => {
  const storedPart = useRef<StoredCarrierPart>(undefined)

  /** Records the SID of a saved gateway, so that a retry does not create the gateway again. */
  const recordSid = ({ setValue, getValues }: Form, ...[path, sid]: Parameters<SetSid>) => {
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

  return {
    /** Creates the carrier with its gateways and returns its SID. The form receives the SIDs of the gateways. */
    create: async (values: CarrierValues, form: Form): Promise<string> => {
      const setSid: SetSid = (path, sid) => recordSid(form, path, sid)
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
    /** Rejects a name that another carrier uses. */
    check: ({ name }: CarrierValues): Promise<FieldErrors<CarrierValues>> =>
      nameErrors(service_provider_sid, name, storedPart.current?.voip_carrier_sid),
  }
}
