import { alterTables, type Migration, type Statements } from './statements.ts'

/** Adds links to reports, with the Call-ID of the call and the masking of the report. */

const changes: Statements = {
  sqlite: [
    'ALTER TABLE patchbay_call_shares ADD COLUMN report_sip_callid TEXT',
    'ALTER TABLE patchbay_call_shares ADD COLUMN report_numbers TEXT',
    'ALTER TABLE patchbay_call_shares ADD COLUMN report_addresses TEXT',
  ],
  mysql: [
    'ALTER TABLE patchbay_call_shares ADD COLUMN report_sip_callid VARCHAR(255) COLLATE utf8mb4_bin',
    'ALTER TABLE patchbay_call_shares ADD COLUMN report_numbers VARCHAR(16) COLLATE utf8mb4_bin',
    'ALTER TABLE patchbay_call_shares ADD COLUMN report_addresses VARCHAR(16) COLLATE utf8mb4_bin',
  ],
}

export const up: Migration = async (context) => {
  await alterTables(context, changes)
}
