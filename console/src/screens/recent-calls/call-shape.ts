import type { DetailLayout } from '../../record/record-fields.ts'

/** Labels and groups for the fields of a call record (docs/reference/platform-api/call-records.md#call-record). */
export const callShape: DetailLayout = {
  labels: {
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
    termination_reason: 'Termination reason',
    sip_callid: 'SIP Call-ID',
    sip_parent_callid: 'SIP Call-ID of the other leg',
    call_sid: 'Call SID',
    account_sid: 'Account SID',
    application_sid: 'Application SID',
    service_provider_sid: 'Service provider SID',
    trace_id: 'Trace ID',
    cost: 'Cost',
    rate: 'Rate',
    billed_seconds: 'Billed duration',
  },
  groups: [
    ['Times', ['attempted_at', 'answered_at', 'terminated_at', 'duration']],
    ['Parties', ['direction', 'from', 'to', 'trunk', 'host', 'remote_host']],
    ['SIP', ['answered', 'sip_status', 'termination_reason', 'sip_callid', 'sip_parent_callid']],
    ['Billing', ['cost', 'rate', 'billed_seconds']],
    ['IDs', ['call_sid', 'account_sid', 'application_sid', 'service_provider_sid', 'trace_id']],
  ],
  kinds: { duration: 'duration', billed_seconds: 'duration', from: 'number', to: 'number' },
  // The recording URL is only useful to the player.
  untold: ['recording_url'],
}
