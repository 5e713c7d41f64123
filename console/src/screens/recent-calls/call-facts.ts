import type { Call } from '@patchbay/contract/recent-calls'
import { dateOf } from '../../ui/moment.ts'

/** The fields of a call record, in words and groups (api/4-calls-and-hosted.md §1.2). */

const words: Readonly<Record<string, string>> = {
  attempted_at: 'Attempted',
  answered_at: 'Answered at',
  terminated_at: 'Ended',
  duration: 'Duration',
  direction: 'Direction',
  from: 'From',
  to: 'To',
  trunk: 'Trunk',
  host: 'Handled by',
  remote_host: 'Remote host',
  answered: 'Answered',
  sip_status: 'SIP status',
  termination_reason: 'Ended because',
  sip_callid: 'SIP Call-ID',
  sip_parent_callid: 'SIP Call-ID of the other leg',
  call_sid: 'Call SID',
  account_sid: 'Account SID',
  application_sid: 'Application SID',
  service_provider_sid: 'Service provider SID',
  trace_id: 'Trace ID',
}

const groups = [
  ['Times', ['attempted_at', 'answered_at', 'terminated_at', 'duration']],
  ['Parties', ['direction', 'from', 'to', 'trunk', 'host', 'remote_host']],
  ['SIP', ['answered', 'sip_status', 'termination_reason', 'sip_callid', 'sip_parent_callid']],
  ['IDs', ['call_sid', 'account_sid', 'application_sid', 'service_provider_sid', 'trace_id']],
] as const

export type Kind = 'time' | 'duration' | 'number' | 'id' | 'text'

export interface Fact {
  /** as the wire has it */
  name: string
  label: string
  kind: Kind
  value: unknown
}

export interface FactGroup {
  title: string
  facts: Fact[]
}

const kindOf = (name: string): Kind => {
  if (name.endsWith('_at')) return 'time'
  if (name === 'duration') return 'duration'
  if (name === 'from' || name === 'to') return 'number'
  return /_sid$|_id$|callid$|host$/.test(name) ? 'id' : 'text'
}

const isEmpty = ({ kind, value }: Fact): boolean => {
  if (value === null || value === undefined || value === '') return true
  // A call that was not answered has an answer at the beginning of 1970.
  return kind === 'time' && typeof value === 'string' && dateOf(value) === undefined
}

const inWords = (name: string): string => words[name] ?? name.replaceAll('_', ' ').replace(/^./, (c) => c.toUpperCase())

/** What is known of a call, in groups, and the words of what is not. The address of its recording is for players. */
export const factsOf = (call: Call): { known: FactGroup[]; unknown: string[] } => {
  const { recording_url: _, ...fields } = call
  const fact = (name: string): Fact => ({
    name,
    label: inWords(name),
    kind: kindOf(name),
    value: Reflect.get(call, name),
  })
  const grouped = new Set<string>(groups.flatMap(([, names]) => names))
  const others = Object.keys(fields).filter((name) => !grouped.has(name))
  const all = [...groups, ['Other', others.sort()] as const].map(([title, names]) => ({
    title,
    facts: names.filter((name) => Object.hasOwn(fields, name)).map(fact),
  }))
  const known = all.map(({ title, facts }) => ({ title, facts: facts.filter((one) => !isEmpty(one)) }))
  return {
    known: known.filter(({ facts }) => facts.length > 0),
    unknown: all.flatMap(({ facts }) => facts.filter(isEmpty).map(({ label }) => label)),
  }
}
