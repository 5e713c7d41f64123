import type { Call } from '@patchbay/contract/recent-calls'
import type { LegChoice } from '@patchbay/contract/shared/call-report-choices'
import { nameLegAt, toShownLegs } from '@patchbay/rules/sip/captured-legs'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { SelectField } from '../../../ui/fields/field.tsx'
import { usePhoneNumberFormat } from '../../../ui/format/phone-number-format.ts'
import { legsQuery } from '../call-detail-queries.ts'
import { suggestLeg } from './suggest-leg.ts'

const allLegs = 'all'

interface LegChoiceState {
  isPending: boolean
  /** Why the other legs are unknown. The report then has only the opened one. */
  error: Error | null
  choice: { sip_callid: string; legs: LegChoice }
  /** The field that chooses the legs. Null if there is no choice. */
  field: ReactNode
}

/**
 * Returns which legs of a call a report has. It is the leg of the carrier at first, because a carrier has seen no other.
 * Without other records, the report stays limited to the opened leg, also if another record is stored later.
 */
export const useLegChoice = (call: Call, sip_callid: string): LegChoiceState => {
  const { data: records, error, isPending } = useQuery(legsQuery(call, sip_callid))
  const formatNumber = usePhoneNumberFormat()
  const [selected, setSelected] = useState<string>()
  const suggested = suggestLeg(call, records ?? [])
  const legs = toShownLegs(call, records, formatNumber)
  const hasChoice = records !== undefined && legs.length > 1
  const value = hasChoice ? (selected ?? suggested ?? allLegs) : sip_callid
  const hint =
    value === allLegs
      ? 'The report shows what every party of the call has sent.'
      : value === suggested
        ? 'The leg of the carrier, which has seen no other. Nothing of the other legs is in the report.'
        : 'Nothing of the other legs is in the report.'
  return {
    isPending,
    error: records === undefined ? error : null,
    choice: value === allLegs ? { sip_callid, legs: 'all' } : { sip_callid: value, legs: 'one' },
    field: hasChoice && (
      <SelectField
        label="Legs"
        hint={hint}
        value={value}
        options={[
          { value: allLegs, label: 'All legs' },
          // The leg of a parent without a record has no facts that a report could begin with.
          ...legs
            .map((leg, index) => ({ ...leg, name: nameLegAt(index) }))
            .filter((leg) => records.some((record) => record.sip_callid === leg.sip_callid))
            .map((leg) => ({ value: leg.sip_callid, label: `Only leg ${leg.name}: ${leg.description}` })),
        ]}
        onChange={({ target }) => setSelected(target.value)}
      />
    ),
  }
}
