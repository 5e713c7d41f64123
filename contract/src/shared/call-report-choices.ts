/** Choices of what a call report contains and masks. Credentials are always masked. */

/** Phone numbers and SIP users: shown, all but the last four digits of numbers masked, or masked completely. */
export const numberMaskings = ['shown', 'last_digits', 'masked'] as const
export type NumberMasking = (typeof numberMaskings)[number]

/** IP addresses and host names: shown, those of private networks masked, or all masked. */
export const addressMaskings = ['shown', 'private', 'all'] as const
export type AddressMasking = (typeof addressMaskings)[number]

export interface ReportMasking {
  numbers: NumberMasking
  addresses: AddressMasking
}

/** All legs of the call, or only the leg with the Call-ID of the report. */
export const legChoices = ['all', 'one'] as const
export type LegChoice = (typeof legChoices)[number]

export interface ReportChoices extends ReportMasking {
  legs: LegChoice
}

/** A carrier finds a call by its numbers, and does not need the addresses of private networks. */
export const defaultReportMasking: ReportMasking = { numbers: 'shown', addresses: 'private' }
