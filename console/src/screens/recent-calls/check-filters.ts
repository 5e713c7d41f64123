/** The values of the fields in the filter dialog. Empty texts do not filter. */
export interface FilterInput {
  /** YYYY-MM-DD */
  from: string
  until: string
  trunk: string
  sip_status: string
  /** Seconds. */
  min_duration: string
}

export type FilterErrors = Partial<Record<keyof FilterInput, string>>

/** Returns an error message for each field with an invalid value. */
export const checkFilters = ({ from, until, trunk, sip_status }: FilterInput): FilterErrors => ({
  ...(from !== '' && until !== '' && until < from ? { until: 'The last day is before the first.' } : {}),
  ...(trunk.trim().length > 255 ? { trunk: 'A name has at most 255 characters.' } : {}),
  ...(sip_status !== '' && !/^[1-6]\d{2}$/.test(sip_status) ? { sip_status: 'Enter a status from 100 to 699.' } : {}),
})
