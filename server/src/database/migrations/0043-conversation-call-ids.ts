import { alterTables, type Migration, type Statements } from './statements.ts'

/** Lets later spans find the conversation of the call that they name. */

const changes: Statements = {
  sqlite: [
    'ALTER TABLE patchbay_conversations ADD COLUMN sip_callid TEXT',
    'CREATE INDEX IF NOT EXISTS patchbay_conversations_sip ON patchbay_conversations (sip_callid)',
    'CREATE INDEX IF NOT EXISTS patchbay_conversation_queue_call ON patchbay_conversation_queue (call_sid)',
  ],
  mysql: [
    'ALTER TABLE patchbay_conversations ADD COLUMN sip_callid VARCHAR(255) COLLATE utf8mb4_bin',
    'CREATE INDEX patchbay_conversations_sip ON patchbay_conversations (sip_callid)',
    'CREATE INDEX patchbay_conversation_queue_call ON patchbay_conversation_queue (call_sid)',
  ],
}

export const up: Migration = async (context) => {
  await alterTables(context, changes)
}
