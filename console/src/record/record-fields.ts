import { toDate } from '../ui/datetime.ts'

/** The fields of a record of what happened, in words and groups; those that nobody has named yet as well. */

export interface DetailLayout {
  /** by the field's name; without one its name stands for it */
  words: Readonly<Record<string, string>>
  groups: readonly (readonly [title: string, names: readonly string[]])[]
  /** fields that are not told */
  untold?: readonly string[]
  /** kinds that the name alone does not give */
  kinds?: Readonly<Record<string, Kind>>
  /** fields whose texts are written for machines, in words */
  texts?: Readonly<Record<string, (text: string) => string>>
}

export type Kind = 'time' | 'duration' | 'number' | 'id' | 'text'

export interface DetailField {
  /** as the wire has it */
  name: string
  label: string
  kind: Kind
  value: unknown
}

interface DetailGroup {
  title: string
  facts: DetailField[]
}

const kindOf = (name: string): Kind => {
  if (name.endsWith('_at')) return 'time'
  return /_sid$|_id$|callid$|host$/.test(name) ? 'id' : 'text'
}

const isEmpty = ({ kind, value }: DetailField): boolean => {
  if (value === null || value === undefined || value === '') return true
  // Where a time is missing, the platform's own server says the beginning of 1970.
  return kind === 'time' && typeof value === 'string' && toDate(value) === undefined
}

const inWords = (name: string): string => name.replaceAll('_', ' ').replace(/^./, (c) => c.toUpperCase())

/** What is known of a record, in groups, and the words of what is not. */
export const toDetailGroups = (
  record: object,
  { words, groups, untold = [], kinds = {}, texts = {} }: DetailLayout,
): { known: DetailGroup[]; unknown: string[] } => {
  const valueOf = (name: string): unknown => {
    const value: unknown = Reflect.get(record, name)
    return typeof value === 'string' ? (texts[name]?.(value) ?? value) : value
  }
  const fact = (name: string): DetailField => ({
    name,
    label: words[name] ?? inWords(name),
    kind: kinds[name] ?? kindOf(name),
    value: valueOf(name),
  })
  const grouped = new Set([...untold, ...groups.flatMap(([, names]) => names)])
  const others = Object.keys(record).filter((name) => !grouped.has(name))
  const all = [...groups, ['Other', others.sort()] as const].map(([title, names]) => ({
    title,
    facts: names.filter((name) => Object.hasOwn(record, name)).map(fact),
  }))
  const known = all.map(({ title, facts }) => ({ title, facts: facts.filter((one) => !isEmpty(one)) }))
  return {
    known: known.filter(({ facts }) => facts.length > 0),
    unknown: all.flatMap(({ facts }) => facts.filter(isEmpty).map(({ label }) => label)),
  }
}
