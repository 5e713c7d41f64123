import { toDate } from '../ui/format/datetime.ts'

/** Groups and labels for the fields of a record, including fields that have no label yet. */

export interface DetailLayout {
  /** Labels by the name of the field. A field without a label is shown with its name. */
  labels: Readonly<Record<string, string>>
  groups: readonly (readonly [title: string, names: readonly string[]])[]
  /** Fields that are not shown. */
  untold?: readonly string[]
  /** Kinds of fields that do not follow from the name. */
  kinds?: Readonly<Record<string, Kind>>
  /** Formatters for fields whose values are codes. */
  formatters?: Readonly<Record<string, (text: string) => string>>
}

export type Kind = 'time' | 'duration' | 'number' | 'id' | 'text'

export interface DetailField {
  /** The name in the API. */
  name: string
  label: string
  kind: Kind
  value: unknown
}

interface DetailGroup {
  title: string
  facts: DetailField[]
}

const getKind = (name: string): Kind => {
  if (name.endsWith('_at')) return 'time'
  return /_sid$|_id$|callid$|host$/.test(name) ? 'id' : 'text'
}

const isEmpty = ({ kind, value }: DetailField): boolean => {
  if (value === null || value === undefined || value === '') return true
  // The jambonz server returns the beginning of 1970 for a missing time.
  return kind === 'time' && typeof value === 'string' && toDate(value) === undefined
}

const toLabel = (name: string): string => name.replaceAll('_', ' ').replace(/^./, (c) => c.toUpperCase())

/** Returns the known fields in groups, and the labels of the missing ones. */
export const toDetailGroups = (
  record: object,
  { labels, groups, untold = [], kinds = {}, formatters = {} }: DetailLayout,
): { detailGroups: DetailGroup[]; unknown: string[] } => {
  const getValue = (name: string): unknown => {
    const value: unknown = Reflect.get(record, name)
    return typeof value === 'string' ? (formatters[name]?.(value) ?? value) : value
  }
  const fact = (name: string): DetailField => ({
    name,
    label: labels[name] ?? toLabel(name),
    kind: kinds[name] ?? getKind(name),
    value: getValue(name),
  })
  const grouped = new Set([...untold, ...groups.flatMap(([, names]) => names)])
  const others = Object.keys(record).filter((name) => !grouped.has(name))
  const all = [...groups, ['Other', others.sort()] as const].map(([title, names]) => ({
    title,
    facts: names.filter((name) => Object.hasOwn(record, name)).map(fact),
  }))
  const detailGroups = all.map(({ title, facts }) => ({ title, facts: facts.filter((one) => !isEmpty(one)) }))
  return {
    detailGroups: detailGroups.filter(({ facts }) => facts.length > 0),
    unknown: all.flatMap(({ facts }) => facts.filter(isEmpty).map(({ label }) => label)),
  }
}
