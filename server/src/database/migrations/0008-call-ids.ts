import { alterTables, type Migration, type Statements } from './statements.ts'

/** Adds indexes of the IDs by which traces and captured SIP refer to a call. */

const changes: Statements = {
  sqlite: [
    'CREATE INDEX IF NOT EXISTS patchbay_calls_trace ON patchbay_calls (trace_id)',
    'CREATE INDEX IF NOT EXISTS patchbay_calls_sip ON patchbay_calls (sip_callid)',
  ],
  mysql: [
    'CREATE INDEX patchbay_calls_trace ON patchbay_calls (trace_id)',
    'CREATE INDEX patchbay_calls_sip ON patchbay_calls (sip_callid)',
  ],
}

export const up: Migration = async (context) => {
  await alterTables(context, changes)
}
