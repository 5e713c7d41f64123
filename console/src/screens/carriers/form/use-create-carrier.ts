import { useRef } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { getCreatedSid } from '../../../form/save-in-parts.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import type { CarrierValues } from './carrier-form.ts'
import { nameErrors } from './name-conflicts.ts'
import { changeCarrier, createCarrier } from './save-carrier.ts'

type Form = Pick<UseFormReturn<CarrierValues>, 'setValue' | 'getValues'>

/** The part of a new carrier that is already stored, after a save in which some of the gateways failed. */
interface StoredCarrierPart {
  voip_carrier_sid: string
  before: CarrierValues
}

/** Adds the rows that have got a SID since. */
const withSaved = <Row>(before: readonly Row[], rows: readonly Row[], getSid: (row: Row) => string): Row[] => {
  const sids = new Set(['', ...before.map(getSid)])
  return [...before, ...rows.filter((row) => !sids.has(getSid(row)))]
}

/**
 * Returns the functions that check and create the carrier of a form. A retry after a partial failure saves only what is
 * missing.
 */
export const useCreateCarrier = (service_provider_sid: string) => {
  const storedPart = useRef<StoredCarrierPart>(undefined)

  return {
    /** Creates the carrier with its gateways and returns its SID. The form receives the SIDs of saved gateways. */
    create: async (values: CarrierValues, { setValue, getValues }: Form): Promise<string> => {
      const part = storedPart.current
      try {
        if (part === undefined) return await createCarrier(values, service_provider_sid, setValue)
        await changeCarrier({ ...part, values, setSid: setValue })
        return part.voip_carrier_sid
      } catch (error) {
        const voip_carrier_sid = getCreatedSid(error, 'voip_carrier_sid')
        if (voip_carrier_sid === undefined) throw error
        const { before } = part ?? { before: { ...values, sip_gateways: [], smpp_gateways: [] } }
        const { sip_gateways, smpp_gateways } = getValues()
        storedPart.current = {
          voip_carrier_sid,
          before: {
            ...before,
            sip_gateways: withSaved(before.sip_gateways, sip_gateways, ({ sip_gateway_sid }) => sip_gateway_sid),
            smpp_gateways: withSaved(before.smpp_gateways, smpp_gateways, ({ smpp_gateway_sid }) => smpp_gateway_sid),
          },
        }
        throw error
      }
    },
    /** Rejects a name that another carrier uses. */
    check: ({ name }: CarrierValues): Promise<FieldErrors<CarrierValues>> =>
      nameErrors(service_provider_sid, name, storedPart.current?.voip_carrier_sid),
  }
}
