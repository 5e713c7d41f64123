import type { Descriptions } from '@patchbay/contract/api/endpoint'
import { isRecordKind, recordNoun } from '@patchbay/contract/shared/record-kinds'
import { vendors } from '@patchbay/contract/speech/catalogue'
import { commonDescriptions } from './common-descriptions.ts'

/** Fields of speech vendors have the label of the console's form. */
const vendorFields: ReadonlyMap<string, string> = new Map(
  vendors.flatMap(({ parts }) =>
    parts.flatMap((part) => ('label' in part ? [[part.name, `${part.label}.`] as const] : [])),
  ),
)

/**
 * Returns the description of a field or parameter.
 * @param descriptions those of its resource
 */
export const describeField = (descriptions: Descriptions, name: string): string | undefined => {
  const declared = descriptions[name] ?? commonDescriptions[name]
  if (declared !== undefined) return declared
  const kind = name.replace(/_sid$/, '')
  if (kind !== name && isRecordKind(kind)) return `SID of the ${recordNoun(kind)}.`
  return vendorFields.get(name)
}
