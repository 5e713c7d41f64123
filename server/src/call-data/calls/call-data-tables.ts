import type { DeletedKind } from '@patchbay/contract/data-deletions'
import { toDayNumber } from '@patchbay/rules/calls/call-quality'
import type { Tables } from '../../database/tables.ts'
import { toHourNumber } from './call-counts.ts'

/**
 * The tables of call data whose rows can be deleted without changing others: after their retention period, and when the
 * data of an account or a service provider are deleted. The other tables have steps of their own (retention.ts,
 * deletion/sql-steps.ts).
 */

interface CallDataTable {
  /** Column of the time, and the conversion to its unit. Default: milliseconds since the Unix epoch. */
  time: string
  toUnit?: (milliseconds: number) => number
  /** False if the retention period does not apply, or a step of its own deletes expired rows. */
  expires?: false
  /** Says which data the rows are, and names the column of their owner. Absent if other steps delete them. */
  owned?: OwnedRows
}

interface OwnedRows {
  kind: DeletedKind
  /** `scope` is the column that the scope of a deletion names. */
  owner: 'account_sid' | 'owner_sid' | 'scope'
}

const hours = { time: 'hour', toUnit: toHourNumber }
const days = { time: 'day', toUnit: toDayNumber }
const received = { time: 'received_at' }
const counts = { kind: 'counts', owner: 'owner_sid' } as const

const tables: Partial<Record<keyof Tables, CallDataTable>> = {
  patchbay_alerts: { time: 'raised_at', owned: { kind: 'alerts', owner: 'scope' } },
  patchbay_alert_acknowledgments: { time: 'acknowledged_at', owned: { kind: 'alerts', owner: 'scope' } },
  patchbay_alert_deliveries: { time: 'queued_at' },
  patchbay_agent_events: { ...received, owned: { kind: 'agent_events', owner: 'account_sid' } },
  patchbay_voice_activities: { time: 'analyzed_at', owned: { kind: 'conversations', owner: 'account_sid' } },
  patchbay_conversation_queue: { time: 'due_at' },
  patchbay_conversations: { time: 'started_at' },
  patchbay_reviews: { time: 'started_at', owned: { kind: 'reviews', owner: 'account_sid' } },
  patchbay_review_items: { time: 'started_at', owned: { kind: 'reviews', owner: 'account_sid' } },
  patchbay_trace_parts: received,
  patchbay_trace_links: received,
  patchbay_log_parts: received,
  patchbay_sip_messages: received,
  patchbay_sip_marks: received,
  patchbay_call_shares: { time: 'expires_at' },
  // Counts of calls and conversations, and of quotas. Those of calls that retention has deleted remain.
  patchbay_call_hours: { ...hours, owned: counts, expires: false },
  patchbay_call_outcomes: { ...hours, owned: counts },
  patchbay_call_applications: { ...hours, owned: counts },
  patchbay_call_days: days,
  patchbay_call_delays: received,
  patchbay_conversation_days: { ...days, owned: counts },
  patchbay_blocked_calls: { time: 'attempted_at', owned: { kind: 'counts', owner: 'scope' } },
  patchbay_identity_days: { ...days, owned: { kind: 'counts', owner: 'scope' } },
  patchbay_account_usage: { ...days, owned: { kind: 'counts', owner: 'account_sid' }, expires: false },
}

/** The tables with their names. */
export const callDataTables = Object.entries(tables).map(([table, one]) => ({
  // The cast is safe: the compiler has checked the names.
  table: table as keyof Tables,
  ...one,
}))
