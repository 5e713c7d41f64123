import type {
  AddressMasking,
  NumberMasking,
  ReportChoices,
  ReportMasking,
} from '@patchbay/contract/shared/call-report-choices'

/** Labels for the choices of reports. */

export const numberLabels: Readonly<Record<NumberMasking, string>> = {
  shown: 'Show numbers',
  last_digits: 'Show the last four digits',
  masked: 'Mask numbers',
}

export const addressLabels: Readonly<Record<AddressMasking, string>> = {
  shown: 'Show addresses',
  private: 'Mask private addresses',
  all: 'Mask all addresses',
}

const numberFacts: Readonly<Record<NumberMasking, string>> = {
  shown: 'numbers shown',
  last_digits: 'last four digits of numbers shown',
  masked: 'numbers masked',
}

const addressFacts: Readonly<Record<AddressMasking, string>> = {
  shown: 'addresses shown',
  private: 'private addresses masked',
  all: 'addresses masked',
}

/** Describes the masking of a report: `numbers shown, private addresses masked`. */
export const describeMasking = ({ numbers, addresses }: ReportMasking): string =>
  `${numberFacts[numbers]}, ${addressFacts[addresses]}`

/** Describes the choices of a report: `numbers shown, private addresses masked, one leg`. */
export const describeReport = ({ legs, ...masking }: ReportChoices): string =>
  `${describeMasking(masking)}${legs === 'one' ? ', one leg' : ''}`
