import type { Call } from '@patchbay/contract/recent-calls'
import { DefinitionList } from '../../ui/definition-list.tsx'

const first = [
  'attempted_at',
  'direction',
  'from',
  'to',
  'answered',
  'duration',
  'sip_status',
  'termination_reason',
  'sip_callid',
  'call_sid',
  'account_sid',
  'trace_id',
]

/** false and 0 are values, and are shown as such; only what is missing is a dash. */
const shown = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Read letter by letter: ids, addresses, numbers, times. */
const isMono = (name: string): boolean => /_sid$|_at$|_id$|callid$|^from$|^to$|host$/.test(name)

/** Every field of the record but the address of its recording, those one looks for first. */
export const CallDetails = ({ call }: { call: Call }) => {
  const names = Object.keys(call).filter((name) => name !== 'recording_url')
  const ordered = [
    ...first.filter((name) => names.includes(name)),
    ...names.filter((name) => !first.includes(name)).sort(),
  ]
  return <DefinitionList entries={ordered.map((name) => [name, shown(call[name]), { mono: isMono(name) }] as const)} />
}
