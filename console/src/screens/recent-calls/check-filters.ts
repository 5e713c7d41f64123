/** The values of the fields in the filter dialog. Empty texts do not filter. */
export interface FilterInput {
  /** YYYY-MM-DD */
  from: string
  until: string
  trunk: string
  /** Contains one of `selectedResults`. */
  result: string
  sip_status: string
  /** Seconds. */
  min_duration: string
  /** Seconds, inclusive. */
  max_duration: string
  number: string
  application_sid: string
}

export type FilterErrors = Partial<Record<keyof FilterInput, string>>

/** Returns an error message for each field with an invalid value. */
export const checkFilters = (input: FilterInput): FilterErrors => {
  const { from, until, number, trunk, sip_status, min_duration, max_duration } = input
  const isInverted = min_duration !== '' && max_duration !== '' && Number(max_duration) < Number(min_duration)
  return {
    ...(from !== '' && until !== '' && until < from ? { until: 'The last day is before the first.' } : {}),
    ...(trunk.trim().length > 255 ? { trunk: 'A name has at most 255 characters.' } : {}),
    ...(sip_status !== '' && sip_status !== '0' && !/^[1-6]\d{2}$/.test(sip_status)
      ? { sip_status: 'Enter a status from 100 to 699.' }
      : {}),
    ...(number.trim().length > 255 ? { number: 'A number has at most 255 characters.' } : {}),
    ...(isInverted ? { max_duration: 'The maximum is shorter than the minimum.' } : {}),
  }
}
