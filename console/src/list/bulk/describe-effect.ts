import type { DryRunRecord } from '@patchbay/contract/bulk-changes'
import { countText, type Nouns } from '../../ui/format/text.ts'
import type { EditableField } from './bulk-fields.ts'

/**
 * Returns what a new value does to the records that can be changed: how many get it, lose another value, or have it
 * already.
 */
export const describeEffect = (
  { name, type }: Pick<EditableField, 'name' | 'type'>,
  isCleared: boolean,
  records: readonly Pick<DryRunRecord, 'changes'>[],
  nouns: Nouns,
): string => {
  const count = (total: number) => countText(total, total, nouns)
  const changes = records.flatMap((record) => record.changes.filter(({ field }) => field === name))
  const replaced = changes.filter(({ before }) => before !== null).length
  const empty = changes.length - replaced
  const equal = records.length - changes.length
  const parts: [total: number, text: string][] =
    isCleared || type === 'flag'
      ? [[changes.length, `${isCleared ? 'removed from' : 'changes'} ${count(changes.length)}`]]
      : [
          [replaced, `replaces another value of ${count(replaced)}`],
          [empty, `set for ${count(empty)} without a value`],
        ]
  const verb = equal === 1 ? 'has' : 'have'
  parts.push([equal, `${count(equal)} ${verb} ${isCleared ? 'none' : 'it'} already`])
  return parts.flatMap(([total, text]) => (total > 0 ? [text] : [])).join(', ')
}
