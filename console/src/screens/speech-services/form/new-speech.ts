import { findVendor } from '@patchbay/contract/speech/catalogue'
import type { Vendor } from '@patchbay/contract/speech/descriptor'
import { validateFieldName, validateVendorName } from '@patchbay/rules/speech/generic'
import { vendorName } from '@patchbay/rules/speech/names'
import { type SpeechValues, schemaFor } from './speech-form.ts'

/** Returns the errors of a new service of a vendor that Patchbay does not know, by the path of the field. */
const genericErrors = ({ name, fields }: SpeechValues, vendor: Vendor): [(string | number)[], string][] => {
  if (!vendor.generic) return []
  const text = name.trim()
  const listedName = findVendor(text) && `Choose ${vendorName(text)} from the list of vendors`
  const unusable = text === '' ? 'Enter the name of the vendor' : (listedName ?? validateVendorName(text))
  const names = fields.map((field) => field.name.trim())
  return [
    ...(unusable === undefined ? [] : [[['name'], unusable] as [string[], string]]),
    ...fields.flatMap((field, at): [(string | number)[], string][] => {
      const fieldName = names[at] ?? ''
      const isDuplicate = names.indexOf(fieldName) < at
      const fault = fieldName === '' ? 'Enter the name of the field' : validateFieldName(fieldName)
      return [
        ...(fault || isDuplicate
          ? [[['fields', at, 'name'], fault ?? 'This field exists already'] as [(string | number)[], string]]
          : []),
        ...(field.value.trim() === ''
          ? [[['fields', at, 'value'], 'Enter the value'] as [(string | number)[], string]]
          : []),
      ]
    }),
  ]
}

export const newSpeech = schemaFor(false, genericErrors)
