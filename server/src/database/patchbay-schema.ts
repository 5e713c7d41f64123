import { alertDestinationLengths } from '@patchbay/contract/alert-destinations/record'
import { apiKeyLengths } from '@patchbay/contract/api-keys/record'
import { bulkChangeLengths } from '@patchbay/contract/bulk-changes/record'
import { callShareLimits } from '@patchbay/contract/shared/call-share-limits'
import { savedViewLengths } from '@patchbay/contract/shared/viewed-screens'
import {
  bigInteger,
  bytes,
  exactText,
  flag,
  integer,
  longText,
  orNull,
  primary,
  real,
  sid,
  table,
  text,
  withDefault,
} from './columns.ts'

export const alertErrorLength = 300
export const dataDeletionErrorLength = 300

const auditColumns = {
  moment: primary(bigInteger()),
  action: exactText(16),
  kind: exactText(64),
  sid: orNull(exactText(64)),
  name: orNull(text(255)),
  account_sid: orNull(exactText(36)),
  service_provider_sid: orNull(exactText(36)),
  actor: exactText(16),
  actor_sid: orNull(exactText(36)),
  actor_name: orNull(text(255)),
  actor_scope: orNull(exactText(16)),
  address: orNull(exactText(64)),
  request_id: orNull(exactText(64)),
  /** JSON array of field, before, and after. Secrets are masked. */
  changes: longText(),
  reason: orNull(text(255)),
  times: integer(),
}

/** Patchbay's own tables. All names have the prefix. Times are epoch milliseconds. */
export const ownTables = {
  /** Sessions of signed-in users. Each token has a row, so that sessions can end individually. */
  patchbay_sessions: table(
    {
      /** SHA-256 of the token, hex */
      token_hash: primary(exactText(64)),
      user_sid: sid(),
      expires_at: bigInteger(),
    },
    { indexes: [{ on: ['user_sid'] }, { on: ['expires_at'] }] },
  ),
  /** Names of API keys, which the table of the platform has no column for. */
  patchbay_api_key_names: table({
    /** Exact, because the collation of a platform's table can differ. Then MySQL only joins columns of which one is binary. */
    api_key_sid: primary(exactText(36)),
    name: text(apiKeyLengths.name),
  }),
  /** Searches of lists that users have saved under a name. `search` is a JSON object of the parameters. */
  patchbay_saved_views: table(
    {
      saved_view_sid: primary(exactText(36)),
      user_sid: exactText(36),
      screen: exactText(64),
      name: text(savedViewLengths.name),
      search: longText(),
    },
    { indexes: [{ unique: true, on: ['user_sid', 'screen', 'name'] }] },
  ),
  /** The columns that users have chosen for lists, as a JSON array of their ids. */
  patchbay_list_columns: table(
    { user_sid: exactText(36), screen: exactText(64), columns: longText() },
    { indexes: [{ unique: true, on: ['user_sid', 'screen'] }] },
  ),
  /**
   * Links to shared calls. They work while their creator, a user or an API key, can share the call. A revoked link is
   * deleted.
   */
  patchbay_call_shares: table(
    {
      call_share_sid: primary(exactText(36)),
      account_sid: exactText(36),
      call_sid: exactText(36),
      /** SHA-256 of the token, hex. */
      token_hash: exactText(64),
      user_sid: orNull(exactText(36)),
      api_key_sid: orNull(exactText(36)),
      /** Name of the creator at the time of creation. */
      created_by: orNull(text(255)),
      note: orNull(text(callShareLimits.note)),
      includes_recording: flag(),
      created_at: bigInteger(),
      expires_at: bigInteger(),
      views: integer(),
      last_viewed_at: orNull(bigInteger()),
      /** The Call-ID of the call whose report the link shows, and the masking of the report. Null for a conversation. */
      report_sip_callid: orNull(exactText(255)),
      report_numbers: orNull(exactText(16)),
      report_addresses: orNull(exactText(16)),
      report_legs: orNull(exactText(16)),
    },
    {
      indexes: [
        { unique: true, on: ['token_hash'] },
        { on: ['account_sid', 'call_sid'] },
        { on: ['account_sid', 'created_at'] },
        { on: ['expires_at'] },
      ],
    },
  ),
  /** Masking rules of service providers for the texts of their calls. `patterns` is a JSON array. */
  patchbay_masking_rules: table({
    service_provider_sid: primary(exactText(36)),
    card_numbers: flag(),
    pressed_digits: flag(),
    patterns: longText(),
    mute_recordings: withDefault(flag(), 0),
  }),
  /** Counters with a time to live (failed sign-ins by name and by address). */
  patchbay_counters: table(
    {
      counter: primary(exactText(191)),
      count: integer(),
      expires_at: bigInteger(),
    },
    { indexes: [{ on: ['expires_at'] }] },
  ),
  /**
   * Call records. Times are epoch milliseconds plus the nanoseconds below them, because writers spread the calls of one
   * millisecond over its nanoseconds. `call_key` (call_sid, or else sip_callid, or else the writer's tags) makes a
   * repeated point one row. The same index orders an account's calls.
   */
  patchbay_calls: table(
    {
      account_sid: exactText(36),
      attempted_at: bigInteger(),
      attempted_ns: integer(),
      call_key: exactText(255),
      service_provider_sid: orNull(exactText(36)),
      call_sid: orNull(exactText(64)),
      direction: orNull(exactText(16)),
      answered: flag(),
      answered_at: orNull(bigInteger()),
      terminated_at: orNull(bigInteger()),
      duration: integer(),
      from: orNull(exactText(255)),
      to: orNull(exactText(255)),
      host: orNull(exactText(255)),
      remote_host: orNull(exactText(255)),
      trunk: orNull(exactText(255)),
      application_sid: orNull(exactText(64)),
      sip_callid: orNull(exactText(255)),
      sip_parent_callid: orNull(exactText(255)),
      sip_status: orNull(integer()),
      termination_reason: orNull(exactText(255)),
      trace_id: orNull(exactText(64)),
      recording_url: orNull(exactText(1024)),
      cost: orNull(real()),
      rate: orNull(real()),
      billed_seconds: orNull(integer()),
      /** JSON object of fields that newer writers add. */
      extra: orNull(longText()),
    },
    {
      indexes: [
        { unique: true, on: ['account_sid', 'attempted_at', 'attempted_ns', 'call_key'] },
        { on: ['service_provider_sid', 'attempted_at', 'attempted_ns'] },
        { on: ['call_sid'] },
      ],
    },
  ),
  /**
   * Number of calls per owner and hour, in total and by kind. An owner is an account or a service provider. The counts
   * are updated with the calls. They provide totals without counting and locate the hours that contain the calls of a
   * page.
   */
  patchbay_call_hours: table(
    {
      owner_sid: exactText(36),
      /** 0: total of the hour. 1: one kind, which is a combination of the columns below that filters use. */
      by_kind: flag(),
      /** Hours since the epoch, of the attempt. */
      hour: integer(),
      /** Empty if the call has no trunk, and in totals. `direction` follows the same rule. */
      trunk: exactText(255),
      direction: exactText(16),
      answered: flag(),
      calls: integer(),
    },
    {
      indexes: [
        { unique: true, on: ['owner_sid', 'by_kind', 'hour', 'trunk', 'direction', 'answered'] },
        { on: ['hour'] },
      ],
    },
  ),
  /**
   * Number of calls per owner and hour by outcome, updated with the calls. They do for the filters by SIP status and by
   * duration what patchbay_call_hours does for the others.
   */
  patchbay_call_outcomes: table(
    {
      owner_sid: exactText(36),
      /** Hours since the epoch, of the attempt. */
      hour: integer(),
      /** 0 if unknown. */
      sip_status: integer(),
      /** The largest of the counted minimum durations, in seconds, that the call reached, or 0. */
      min_seconds: integer(),
      /** Empty if the call has no trunk. `direction` follows the same rule. */
      trunk: exactText(255),
      direction: exactText(16),
      answered: flag(),
      calls: integer(),
    },
    {
      indexes: [
        { unique: true, on: ['owner_sid', 'hour', 'sip_status', 'min_seconds', 'trunk', 'direction', 'answered'] },
        { on: ['hour'] },
      ],
    },
  ),
  /** Number of calls per owner, application, and hour, updated with the calls. */
  patchbay_call_applications: table(
    {
      owner_sid: exactText(36),
      application_sid: exactText(64),
      /** Hours since the epoch, of the attempt. */
      hour: integer(),
      /** Empty if unknown. */
      direction: exactText(16),
      answered: flag(),
      calls: integer(),
    },
    {
      indexes: [
        { unique: true, on: ['owner_sid', 'application_sid', 'hour', 'direction', 'answered'] },
        { on: ['hour'] },
      ],
    },
  ),
  /**
   * Daily call statistics by kind, updated with the calls. For an account, `provider_sid` contains its provider (empty
   * if there is none). For a service provider, `provider_sid` is empty.
   */
  patchbay_call_days: table(
    {
      owner_sid: exactText(36),
      provider_sid: exactText(36),
      /** Days since the epoch in UTC, of the attempt. */
      day: integer(),
      /** Empty if the call has no trunk. `direction` follows the same rule. */
      trunk: exactText(255),
      direction: exactText(16),
      /** 0 if unknown. */
      sip_status: integer(),
      answered: flag(),
      calls: integer(),
      seconds: bigInteger(),
      /** Number of calls with a known post-dial delay, and the sum of these delays. */
      pdd_calls: integer(),
      pdd_milliseconds: bigInteger(),
    },
    {
      indexes: [
        { unique: true, on: ['owner_sid', 'day', 'provider_sid', 'trunk', 'direction', 'sip_status', 'answered'] },
        { on: ['provider_sid', 'day'] },
        { on: ['day'] },
      ],
    },
  ),
  /**
   * Times at which a call was dialed and first rang, in epoch milliseconds, according to its trace. Rows exist until
   * the call record arrives.
   */
  patchbay_call_delays: table(
    {
      call_sid: primary(exactText(64)),
      dialled_at: orNull(bigInteger()),
      rung_at: orNull(bigInteger()),
      received_at: bigInteger(),
    },
    { indexes: [{ on: ['received_at'] }] },
  ),
  /**
   * Alerts. `fingerprint` (SHA-256 of the whole alert) makes a repeated point one row and keeps different ones apart.
   */
  patchbay_alerts: table(
    {
      raised_at: bigInteger(),
      raised_ns: integer(),
      fingerprint: exactText(64),
      account_sid: orNull(exactText(36)),
      service_provider_sid: orNull(exactText(36)),
      alert_type: exactText(64),
      message: longText(),
      detail: orNull(longText()),
      target_sid: orNull(exactText(64)),
      vendor: orNull(exactText(64)),
      extra: orNull(longText()),
      /** Hash of owner, type, and object. Null for alerts that a process of an earlier version has stored. */
      group_key: orNull(exactText(32)),
    },
    {
      indexes: [
        { unique: true, on: ['raised_at', 'raised_ns', 'fingerprint'] },
        { on: ['account_sid', 'raised_at', 'raised_ns'] },
        { on: ['service_provider_sid', 'raised_at', 'raised_ns'] },
      ],
    },
  ),
  /**
   * The newest alert up to which a user has seen those of an account, or those of a service provider and all its
   * accounts (then `account_sid` is null). A user has at most one row for each owner.
   */
  patchbay_seen_alerts: table(
    {
      user_sid: exactText(36),
      account_sid: orNull(exactText(36)),
      service_provider_sid: orNull(exactText(36)),
      raised_at: bigInteger(),
      raised_ns: integer(),
      fingerprint: exactText(64),
    },
    { indexes: [{ on: ['user_sid', 'account_sid'] }, { on: ['account_sid'] }, { on: ['service_provider_sid'] }] },
  ),
  /**
   * Acknowledgments of alerts, which Patchbay's own table or the InfluxDB of jambonz stores. A row covers the alerts of a
   * group up to a time, or one alert. It is deleted to undo it, so that an earlier one applies again.
   */
  patchbay_alert_acknowledgments: table(
    {
      alert_acknowledgment_sid: primary(exactText(36)),
      group_key: exactText(32),
      account_sid: orNull(exactText(36)),
      service_provider_sid: orNull(exactText(36)),
      until_at: bigInteger(),
      /** Nanoseconds of the only alert that the row covers, or -1 if it covers all alerts up to `until_at`. */
      single_ns: integer(),
      acknowledged_at: bigInteger(),
      acknowledged_by: orNull(text(255)),
    },
    {
      indexes: [
        { unique: true, on: ['group_key', 'single_ns', 'until_at'] },
        { on: ['account_sid', 'until_at'] },
        { on: ['service_provider_sid', 'until_at'] },
        { on: ['acknowledged_at'] },
      ],
    },
  ),
  /**
   * Destinations of alerts, of an account or of a service provider (then `account_sid` is null). A process claims a row
   * until `claimed_until` while it sends, so that only one process sends to a destination at a time.
   */
  patchbay_alert_destinations: table(
    {
      alert_destination_sid: primary(exactText(36)),
      /** Exact, as the names of API keys, because accounts are joined. */
      account_sid: orNull(exactText(36)),
      service_provider_sid: orNull(exactText(36)),
      name: text(alertDestinationLengths.name),
      kind: exactText(16),
      target: exactText(alertDestinationLengths.target),
      /** JSON list. Empty means all types. */
      types: longText(),
      is_active: flag(),
      /** Whether only the first alert of each type within an hour is queued. */
      once_per_hour: withDefault(flag(), 0),
      created_at: orNull(bigInteger()),
      /** Secret of a service provider's webhook, encrypted. */
      webhook_secret: orNull(longText()),
      /** Time of the next delivery. Null if nothing is queued. */
      due_at: orNull(bigInteger()),
      claim: orNull(exactText(36)),
      claimed_until: bigInteger(),
      /** Start of the current minute, and the number of alerts sent individually in it. */
      minute_at: bigInteger(),
      minute_sent: integer(),
      /** Number of alerts dropped because the queue was full. */
      left_out: integer(),
      failing_since: orNull(bigInteger()),
      last_delivered_at: orNull(bigInteger()),
      last_error: orNull(text(alertErrorLength)),
    },
    { indexes: [{ on: ['account_sid'] }, { on: ['service_provider_sid'] }, { on: ['due_at'] }] },
  ),
  /**
   * Confirmation state of email destinations. A row whose `target` differs from the destination's refers to an earlier
   * address.
   */
  patchbay_alert_addresses: table(
    {
      alert_destination_sid: primary(exactText(36)),
      target: exactText(alertDestinationLengths.target),
      /** SHA-256 of the link, hex. Null if no link was mailed. */
      link_hash: orNull(exactText(64)),
      link_until: bigInteger(),
      /** Time at which the mail was accepted for delivery. */
      sent_at: orNull(bigInteger()),
      confirmed_at: orNull(bigInteger()),
    },
    { indexes: [{ unique: true, on: ['link_hash'] }] },
  ),
  /** The queue of alerts per destination, and the log of completed deliveries. */
  patchbay_alert_deliveries: table(
    {
      delivery_sid: primary(exactText(36)),
      alert_destination_sid: exactText(36),
      queued_at: bigInteger(),
      raised_at: bigInteger(),
      raised_ns: integer(),
      fingerprint: exactText(64),
      alert_type: exactText(64),
      /** `waiting`, `delivered`, or `given_up`. */
      state: exactText(16),
      attempts: integer(),
      attempted_at: orNull(bigInteger()),
      status: orNull(integer()),
      error: orNull(text(alertErrorLength)),
      together: integer(),
    },
    {
      indexes: [
        { on: ['alert_destination_sid', 'queued_at', 'delivery_sid'] },
        { on: ['alert_destination_sid', 'state', 'queued_at', 'delivery_sid'] },
        { on: ['queued_at'] },
      ],
    },
  ),
  /** The last known health of what Patchbay watches: a SIP gateway, or the registration of a carrier. */
  patchbay_carrier_health_states: table(
    {
      /** SID of the gateway, or of the carrier for its registration. */
      watched_sid: primary(exactText(36)),
      state: exactText(20),
      /** Times of the last alerts about a failure and about a recovery. */
      failure_alerted_at: withDefault(bigInteger(), 0),
      recovery_alerted_at: withDefault(bigInteger(), 0),
    },
    {},
  ),
  /** Changes of the health of carriers. */
  patchbay_carrier_health_changes: table(
    {
      change_sid: primary(exactText(36)),
      voip_carrier_sid: exactText(36),
      watched_sid: exactText(36),
      /** Address of the gateway. Null for a registration. */
      address: orNull(text(300)),
      /** Null if Patchbay did not know the state before. */
      from_state: orNull(exactText(20)),
      to_state: exactText(20),
      /** Response of the carrier to the registration. */
      reason: orNull(text(255)),
      changed_at: bigInteger(),
    },
    {
      indexes: [
        { on: ['voip_carrier_sid', 'changed_at', 'change_sid'] },
        { on: ['watched_sid', 'changed_at'] },
        { on: ['changed_at'] },
      ],
    },
  ),
  /** Periods in which Patchbay watched the health of carriers. Nothing is known about the time between them. */
  patchbay_carrier_health_watches: table(
    { started_at: primary(bigInteger()), until_at: bigInteger() },
    { indexes: [{ on: ['until_at'] }] },
  ),
  /**
   * Scheduled backups of this installation. A backup does not contain this table, so that an installation that was
   * restored from one does not delete the files of the original. `state`: `running`, `verified`, `failed`.
   */
  patchbay_backups: table(
    {
      /** Name of the file or object. */
      name: primary(exactText(64)),
      /** Folder or URL that contains it. */
      target: longText(),
      state: exactText(16),
      started_at: bigInteger(),
      /** The process that writes the backup is alive if this is recent. */
      heartbeat_at: bigInteger(),
      ended_at: orNull(bigInteger()),
      /** Size of a verified backup. */
      size: orNull(bigInteger()),
      /** Time of the backup after a verified one. */
      next_due_at: orNull(bigInteger()),
      /** Why the backup failed. */
      reason: orNull(longText()),
      /** True if there can be a file or a part of it. */
      has_file: flag(),
    },
    { indexes: [{ on: ['state', 'started_at'] }] },
  ),
  /**
   * Requests to delete the call data of an account or of a service provider (jobs/delete-call-data.ts). A process claims
   * a row until `claimed_until`, so that only one process deletes at a time.
   */
  patchbay_data_deletions: table(
    {
      data_deletion_sid: primary(exactText(36)),
      /** Null for a service provider, which has been deleted. */
      account_sid: orNull(exactText(36)),
      service_provider_sid: orNull(exactText(36)),
      /** Start of the first UTC day whose data is kept. Null for all data of an owner that was deleted. */
      before_at: orNull(bigInteger()),
      requested_at: bigInteger(),
      requested_by: orNull(text(255)),
      started_at: orNull(bigInteger()),
      /** End of the first complete run. Later ones delete what has arrived since. */
      finished_at: orNull(bigInteger()),
      /** Number of complete runs. */
      runs: integer(),
      /** Time of the next run. Null if there is none. */
      due_at: orNull(bigInteger()),
      claim: orNull(exactText(36)),
      claimed_until: bigInteger(),
      /** Number of failures since the last progress. */
      failures: integer(),
      last_error: orNull(text(dataDeletionErrorLength)),
      /** JSON of the step that runs, and of its position. */
      progress: longText(),
      /** JSON of the number of deleted rows by kind. */
      deleted: longText(),
    },
    { indexes: [{ on: ['account_sid', 'requested_at'] }, { on: ['due_at'] }] },
  ),
  /**
   * Requests to change or delete several records (jobs/change-records.ts), with the user or API key that they have the
   * rights of. A process claims a row until `claimed_until`, so that only one process changes records at a time.
   */
  patchbay_bulk_changes: table(
    {
      bulk_change_sid: primary(exactText(36)),
      user_sid: orNull(exactText(36)),
      api_key_sid: orNull(exactText(36)),
      /** The tenant of the user or API key. */
      account_sid: orNull(exactText(36)),
      service_provider_sid: orNull(exactText(36)),
      requested_by: orNull(text(255)),
      address: exactText(64),
      request_id: exactText(64),
      kind: exactText(64),
      operation: exactText(16),
      /** JSON of the new values of an update. */
      new_values: longText(),
      status: exactText(16),
      stop_reason: orNull(text(bulkChangeLengths.reason)),
      total: integer(),
      requested_at: bigInteger(),
      finished_at: orNull(bigInteger()),
      /** Time from which a process may continue. Null when it has ended. */
      due_at: orNull(bigInteger()),
      claim: orNull(exactText(36)),
      claimed_until: bigInteger(),
      /** Number of failures of the server since the last changed record. */
      failures: integer(),
      /** The bulk change whose previous values this one restores. */
      undoes_sid: orNull(exactText(36)),
    },
    {
      indexes: [
        { on: ['user_sid', 'requested_at'] },
        { on: ['api_key_sid', 'requested_at'] },
        { on: ['account_sid'] },
        { on: ['service_provider_sid'] },
        { on: ['due_at'] },
        { on: ['finished_at'] },
        { unique: true, on: ['undoes_sid'] },
      ],
    },
  ),
  /** The records of bulk changes, in their order. `status` is `waiting`, `done`, `failed`, or `skipped`. */
  patchbay_bulk_change_records: table(
    {
      bulk_change_sid: exactText(36),
      position: integer(),
      record_sid: exactText(36),
      /** Name of a failed record. */
      name: orNull(text(255)),
      status: exactText(16),
      reason: orNull(text(bulkChangeLengths.reason)),
      /** Kind and operation of a record, if they are not those of the bulk change. */
      kind: orNull(exactText(64)),
      operation: orNull(exactText(16)),
      /** JSON of the values that the change replaced. Null if it replaced none. */
      changed_values: orNull(longText()),
    },
    {
      indexes: [
        { unique: true, on: ['bulk_change_sid', 'position'] },
        { on: ['bulk_change_sid', 'status', 'position'] },
      ],
    },
  ),
  /**
   * Quota usage of accounts per UTC day, in days since the epoch. `kind` is a kind of call data, or `recordings`, for
   * which the amount is in bytes. `alerted` is the percentage for which the account last received an alert on that day.
   */
  patchbay_account_usage: table(
    {
      account_sid: exactText(36),
      kind: exactText(16),
      day: integer(),
      amount: bigInteger(),
      alerted: integer(),
    },
    { indexes: [{ unique: true, on: ['account_sid', 'kind', 'day'] }, { on: ['day'] }] },
  ),
  /**
   * Received traces. The spans of a trace in one delivery are one row. `content` is gzipped JSON of the `resourceSpans`
   * that the API returns. `part_key` (SHA-256 of the content) makes a repeated delivery one row.
   */
  patchbay_trace_parts: table(
    {
      trace_id: exactText(32),
      part_key: exactText(64),
      received_at: bigInteger(),
      content: bytes(),
    },
    { indexes: [{ unique: true, on: ['trace_id', 'part_key'] }, { on: ['received_at'] }] },
  ),
  /** Traces that name a call in an attribute. `call_id` is a call_sid or a SIP Call-ID. */
  patchbay_trace_links: table(
    {
      call_id: exactText(255),
      trace_id: exactText(32),
      received_at: bigInteger(),
    },
    { indexes: [{ unique: true, on: ['call_id', 'trace_id'] }, { on: ['received_at'] }] },
  ),
  /** Calls whose conversation is to be computed (conversation-queue.ts). */
  patchbay_conversation_queue: table(
    {
      account_sid: exactText(36),
      call_sid: exactText(36),
      due_at: bigInteger(),
      attempts: integer(),
    },
    { indexes: [{ unique: true, on: ['account_sid', 'call_sid'] }, { on: ['due_at'] }] },
  ),
  /**
   * Computed conversations. `content` is gzipped JSON of what they add to `patchbay_conversation_days`, so that a
   * conversation that is computed again replaces it.
   */
  patchbay_conversations: table(
    {
      account_sid: exactText(36),
      call_sid: exactText(36),
      service_provider_sid: orNull(exactText(36)),
      trace_id: orNull(exactText(32)),
      /** Null if an earlier version has computed the conversation. */
      sip_callid: orNull(exactText(255)),
      started_at: bigInteger(),
      /** 0 if an earlier version has computed the conversation. */
      ended_at: withDefault(bigInteger(), 0),
      computed_at: bigInteger(),
      content: bytes(),
    },
    {
      indexes: [{ unique: true, on: ['call_sid', 'account_sid'] }, { on: ['trace_id'] }, { on: ['started_at'] }],
    },
  ),
  /**
   * Sums of conversations per day in UTC. `owner_sid` is an account or a provider. `sums` is JSON (sums.ts of the
   * contract), because a row per duration would be 250 times as many.
   */
  patchbay_conversation_days: table(
    {
      owner_sid: exactText(36),
      dimension: exactText(16),
      day: integer(),
      value: exactText(128),
      conversations: bigInteger(),
      sums: longText(),
    },
    {
      indexes: [{ unique: true, on: ['owner_sid', 'dimension', 'day', 'value'] }, { on: ['day'] }],
    },
  ),
  /**
   * Limits of the conversations of an account or provider. `states` is JSON: when each limit was last exceeded or kept
   * again (limit-store.ts).
   */
  patchbay_conversation_limits: table(
    {
      owner_sid: exactText(36),
      gap_p95_ms: orNull(integer()),
      interrupted_percent: orNull(integer()),
      talked_over_percent: orNull(integer()),
      failed_percent: orNull(integer()),
      minutes: integer(),
      min_conversations: integer(),
      states: longText(),
    },
    { indexes: [{ unique: true, on: ['owner_sid'] }] },
  ),
  /**
   * Calls that are to be reviewed, or have been (call-data/reviews/review-items.ts). `reasons` is a bit set. `state` is 1
   * once a user or an API key has reviewed the call. `lowest_score` is that of all reviews.
   */
  patchbay_review_items: table(
    {
      account_sid: exactText(36),
      call_sid: exactText(36),
      service_provider_sid: orNull(exactText(36)),
      started_at: bigInteger(),
      reasons: integer(),
      state: integer(),
      lowest_score: orNull(integer()),
      assignee_sid: orNull(exactText(36)),
      /** When a language model is to check the call. Null unless it is waiting for a check. */
      check_at: orNull(bigInteger()),
    },
    {
      indexes: [
        { unique: true, on: ['account_sid', 'call_sid'] },
        // These contain all columns of the lists, so that filters do not read the rows.
        {
          on: [
            'account_sid',
            'state',
            'started_at',
            'call_sid',
            'reasons',
            'lowest_score',
            'assignee_sid',
            'service_provider_sid',
          ],
        },
        {
          on: [
            'service_provider_sid',
            'state',
            'started_at',
            'call_sid',
            'account_sid',
            'reasons',
            'lowest_score',
            'assignee_sid',
          ],
        },
        { on: ['assignee_sid', 'state', 'started_at'] },
        { on: ['started_at'] },
        { on: ['check_at'] },
      ],
    },
  ),
  /**
   * Reviews of calls. `reviewer_sid` is that of a user or an API key, or `model`. `content` is JSON with criteria, labels,
   * and note. Times are in milliseconds since the Unix epoch. `input_hash` is the SHA-256 of what a language model has
   * received, and null for other reviewers and for reviews that an earlier version has stored.
   */
  patchbay_reviews: table(
    {
      account_sid: exactText(36),
      call_sid: exactText(36),
      reviewer_sid: exactText(36),
      reviewer: text(255),
      started_at: bigInteger(),
      score: integer(),
      content: longText(),
      input_hash: orNull(exactText(64)),
      created_at: bigInteger(),
      updated_at: bigInteger(),
    },
    {
      indexes: [
        { unique: true, on: ['call_sid', 'account_sid', 'reviewer_sid'] },
        { on: ['account_sid', 'started_at'] },
        { on: ['started_at'] },
      ],
    },
  ),
  /** Criteria and rules of reviews, by provider. `criteria` and `labels` are JSON lists. */
  patchbay_review_settings: table({
    service_provider_sid: primary(exactText(36)),
    criteria: longText(),
    labels: longText(),
    slow_ms: orNull(integer()),
    interrupted: flag(),
    failed: flag(),
    random_percent: integer(),
  }),
  /**
   * Language models that check calls, by provider. `api_key` is encrypted. `used_on` and `used` count the checks of a day
   * in UTC.
   */
  patchbay_review_models: table({
    service_provider_sid: primary(exactText(36)),
    is_enabled: flag(),
    url: text(512),
    model: text(128),
    api_key: orNull(longText()),
    instructions: longText(),
    is_automatic: flag(),
    daily_limit: integer(),
    used_on: integer(),
    used: integer(),
  }),
  /** Number of checks by a language model that an account has used on a day in UTC. */
  patchbay_model_check_counts: table({
    account_sid: primary(exactText(36)),
    used_on: integer(),
    used: integer(),
  }),
  /**
   * Searchable transcripts of calls (call-data/conversations/transcripts.ts). `transcript_id` is in the order of
   * `attempted_at`. `content` is gzipped JSON. A row is visible if it has the `generation` of its account's settings.
   * `index_version` is that of the words in the index (`indexVersions`), and 0 for rows that are not in the index yet.
   */
  patchbay_transcripts: table(
    {
      transcript_id: primary(bigInteger()),
      account_sid: exactText(36),
      call_sid: exactText(36),
      service_provider_sid: orNull(exactText(36)),
      application_sid: orNull(exactText(64)),
      generation: integer(),
      index_version: withDefault(integer(), 0),
      content: bytes(),
    },
    {
      indexes: [
        { unique: true, on: ['account_sid', 'call_sid'] },
        { on: ['account_sid', 'transcript_id'] },
        { on: ['service_provider_sid', 'transcript_id'] },
        { on: ['account_sid', 'generation'] },
        { on: ['index_version'] },
      ],
    },
  ),
  /** Deleted transcripts whose words ClickHouse may still have (call-data/conversations/transcript-removals.ts). */
  patchbay_transcript_removals: table(
    {
      transcript_id: primary(bigInteger()),
      removed_at: bigInteger(),
    },
    { indexes: [{ on: ['removed_at'] }] },
  ),
  /** Settings of the search in transcripts, by account. Each time that `access` becomes `off`, `generation` grows. */
  patchbay_transcript_settings: table({
    account_sid: primary(exactText(36)),
    access: exactText(16),
    generation: integer(),
  }),
  /**
   * When the sides of recorded calls speak (`DetectedVoice` as JSON, null if the recording cannot be decoded), by the
   * version of the method that found it.
   */
  patchbay_voice_activities: table(
    {
      account_sid: exactText(36),
      call_sid: exactText(36),
      recording_url: exactText(255),
      method_version: integer(),
      analyzed_at: bigInteger(),
      activity: orNull(longText()),
    },
    {
      indexes: [
        { unique: true, on: ['account_sid', 'call_sid', 'recording_url', 'method_version'] },
        { on: ['analyzed_at'] },
      ],
    },
  ),
  /**
   * Log lines of calls. The lines of a call in one delivery are one row. `call_id` is a call_sid or a SIP Call-ID.
   * `content` is a gzipped JSON list of lines.
   */
  patchbay_log_parts: table(
    {
      call_id: exactText(255),
      part_key: exactText(64),
      received_at: bigInteger(),
      content: bytes(),
    },
    { indexes: [{ unique: true, on: ['call_id', 'part_key'] }, { on: ['received_at'] }] },
  ),
  /**
   * Events of agents, copied by applications. `at` is the time by the clock of the application, in epoch milliseconds.
   * `size` is the number of characters of `content`, which is the event as JSON.
   */
  patchbay_agent_events: table(
    {
      account_sid: exactText(36),
      call_sid: exactText(36),
      seq: bigInteger(),
      at: bigInteger(),
      received_at: bigInteger(),
      size: integer(),
      content: longText(),
    },
    { indexes: [{ unique: true, on: ['account_sid', 'call_sid', 'seq'] }, { on: ['received_at'] }] },
  ),
  /**
   * Captured SIP messages. `captured_at` is the time of the packet in epoch microseconds, `received_at` the time at
   * which Patchbay received it. `message_key` (SHA-256 of its endpoints and its content) makes a repeated packet one
   * row.
   */
  patchbay_sip_messages: table(
    {
      sip_callid: exactText(255),
      captured_at: bigInteger(),
      message_key: exactText(64),
      received_at: bigInteger(),
      /** Method of the request. Responses have the method of their request. */
      method: exactText(32),
      /** IP protocol number of the transport. */
      transport: integer(),
      source: exactText(45),
      source_port: integer(),
      destination: exactText(45),
      destination_port: integer(),
      content: bytes(),
      /** ID of the capture agent (HEP chunk 0x0c). Null if unknown. */
      agent: orNull(bigInteger()),
      /** Orders messages with the same time: microseconds since the Unix epoch, different for each message of a process. */
      arrival: orNull(bigInteger()),
    },
    { indexes: [{ unique: true, on: ['sip_callid', 'captured_at', 'message_key'] }, { on: ['received_at'] }] },
  ),
  /**
   * Statements of captured SIP about a call, until its record arrives: a network blocked it (`kind` is `block`), or its
   * first INVITE claims an identity (`identity`). A counted mark stays for a day, so that a repeated packet is not
   * counted again. Times are epoch milliseconds.
   */
  patchbay_sip_marks: table(
    {
      sip_callid: exactText(255),
      kind: exactText(8),
      captured_at: bigInteger(),
      received_at: bigInteger(),
      /** Claimed attestation: A, B, C, or `none`. Empty without an Identity header. */
      attestation: exactText(8),
      /** Result of a verification that the sender states: `passed`, `failed`, or `none`. Empty if it states none. */
      verification: exactText(8),
      /** Number of searches for the call. */
      searches: integer(),
      /** Time of the next search. Null if there is none. */
      due_at: orNull(bigInteger()),
    },
    { indexes: [{ unique: true, on: ['sip_callid', 'kind'] }, { on: ['due_at'] }, { on: ['received_at'] }] },
  ),
  /** Unanswered calls that a network, a filter, or the called side blocked. */
  patchbay_blocked_calls: table(
    {
      account_sid: exactText(36),
      attempted_at: bigInteger(),
      /** Same key as in `patchbay_calls`. */
      call_key: exactText(255),
      service_provider_sid: orNull(exactText(36)),
      /** Empty if the call has no trunk. `direction` follows the same rule. */
      trunk: exactText(255),
      direction: exactText(16),
      /** Digits of the calling number. Null if the caller of the record is no telephone number. */
      number: orNull(exactText(32)),
      /** `analytics` is known from captured SIP only, `filter` and `unwanted` from the status of the record. */
      kind: exactText(16),
      /** Time of the last alert that counts the call. */
      alerted_at: orNull(bigInteger()),
    },
    {
      indexes: [
        { unique: true, on: ['account_sid', 'attempted_at', 'call_key'] },
        { on: ['service_provider_sid', 'attempted_at'] },
        { on: ['attempted_at'] },
      ],
    },
  ),
  /** Number of calls per day by the identity that their first INVITE claims. */
  patchbay_identity_days: table(
    {
      account_sid: exactText(36),
      /** Empty if the account has no provider. */
      service_provider_sid: exactText(36),
      /** Days since the epoch in UTC, of the attempt. */
      day: integer(),
      trunk: exactText(255),
      direction: exactText(16),
      /** Same values as in `patchbay_sip_marks`. */
      attestation: exactText(8),
      verification: exactText(8),
      calls: integer(),
    },
    {
      indexes: [
        {
          unique: true,
          on: ['account_sid', 'day', 'service_provider_sid', 'trunk', 'direction', 'attestation', 'verification'],
        },
        { on: ['service_provider_sid', 'day'] },
        { on: ['day'] },
      ],
    },
  ),
  /**
   * Changes and denied requests. Changes are written within their own transaction. `moment` is the time in epoch
   * microseconds. It is unique, so that time alone orders the table and each of its indexes.
   */
  patchbay_audit_trail: table(auditColumns, {
    // On both engines, each index entry ends with the primary key.
    indexes: [{ on: ['service_provider_sid'] }, { on: ['account_sid'] }, { on: ['sid'] }],
  }),
  /** SQLite only: entries are written here first, without indexes, and moved in batches. */
  patchbay_audit_latest: table(auditColumns),
  /** Password reset links. Each user has at most one, so a new link replaces the old one. */
  patchbay_reset_links: table(
    {
      user_sid: primary(exactText(36)),
      /** SHA-256 of the link, hex. */
      link_hash: exactText(64),
      /**
       * SHA-256 of the user's password hash and address when the link was created, hex. A change of either invalidates
       * the link.
       */
      made_for: exactText(64),
      expires_at: bigInteger(),
    },
    { indexes: [{ unique: true, on: ['link_hash'] }] },
  ),
  /**
   * Registrations that have not been confirmed. Nothing is written to the tables of jambonz before that. Also used for
   * an existing user's new address or first password.
   */
  patchbay_registrations: table(
    {
      /** SID of the new or existing user. */
      user_sid: primary(exactText(36)),
      /** Null if the user exists. */
      account_sid: orNull(exactText(36)),
      service_provider_sid: orNull(exactText(36)),
      email: text(255),
      /** Null if the password does not change. */
      hashed_password: orNull(exactText(1024)),
      invite_code: orNull(text(6)),
      /** HMAC of user and code, hex. Null if the address already has an account, so that no code is valid. */
      code_hash: orNull(exactText(64)),
      tries_left: integer(),
      expires_at: bigInteger(),
    },
    { indexes: [{ on: ['expires_at'] }] },
  ),
  /**
   * Accounts with a customer at the payment provider, now or earlier. A process claims a row until `claimed_until`, so
   * that only one process works on an account's billing at a time.
   */
  patchbay_billing: table(
    {
      account_sid: primary(exactText(36)),
      claim: orNull(exactText(36)),
      claimed_until: bigInteger(),
      /** True if a client waits for the operation. Another client is then rejected instead of waiting. */
      is_action: flag(),
      /** Number of requested synchronizations, and the number at the last completed one. */
      asked: bigInteger(),
      looked: bigInteger(),
      /** Time of the next synchronization. Null if only events trigger one. */
      due_at: orNull(bigInteger()),
      /** Number of failed synchronizations since the last successful one. */
      failures: integer(),
      /** JSON of an intent that has started and is not known to be complete. */
      intent: orNull(longText()),
      /** Idempotency key for creating the customer, until it exists. */
      customer_key: orNull(exactText(36)),
    },
    { indexes: [{ on: ['due_at'] }] },
  ),
  /** IDs of received events, so that each is processed once. */
  patchbay_billing_events: table(
    { event_id: primary(exactText(255)), received_at: bigInteger() },
    { indexes: [{ on: ['received_at'] }] },
  ),
  /**
   * Google and GitHub accounts that users sign in with. `provider_id` is the permanent ID of the person at the
   * provider.
   */
  patchbay_sign_in_links: table(
    {
      provider: exactText(16),
      provider_id: exactText(255),
      user_sid: exactText(36),
      linked_at: bigInteger(),
    },
    { indexes: [{ unique: true, on: ['provider', 'provider_id'] }, { on: ['user_sid'] }] },
  ),
  /** Offers to link an identity to the user with the same address. The user still has to enter the password. */
  patchbay_link_tickets: table(
    {
      /** SHA-256 of the ticket, hex. */
      ticket_hash: primary(exactText(64)),
      user_sid: exactText(36),
      provider: exactText(16),
      provider_id: exactText(255),
      /** Same value as the API's `provider_userid`. */
      provider_userid: text(255),
      email: text(255),
      picture: orNull(longText()),
      tries_left: integer(),
      expires_at: bigInteger(),
    },
    { indexes: [{ on: ['user_sid'] }, { on: ['expires_at'] }] },
  ),
  /**
   * DNS records of a SIP realm, from the intent to create them until their removal. Another process completes what an
   * interrupted one has left. `state`: `claimed` (nothing has been created), `making`, `made`, `removing`.
   */
  patchbay_realm_records: table(
    {
      realm_records_sid: primary(exactText(36)),
      account_sid: exactText(36),
      sip_realm: exactText(132),
      /** Reserves the realm until it is assigned to the account. */
      claim: orNull(exactText(132)),
      state: exactText(16),
      /** The managed domain at the provider. Null if it has not been looked up. */
      zone: orNull(exactText(255)),
      /** JSON list of the provider's IDs. Null if unknown, in which case the records are looked up by name. */
      record_ids: orNull(longText()),
      /** Time from which any process may clean up. Null if nothing is left to clean up. */
      due_at: orNull(bigInteger()),
    },
    { indexes: [{ unique: true, on: ['claim'] }, { on: ['account_sid'] }, { on: ['due_at'] }, { on: ['sip_realm'] }] },
  ),
  /** Internal state of Patchbay: generated secrets of an embedded installation, and markers of the first start. */
  patchbay_settings: table({
    setting: primary(exactText(64)),
    value: longText(),
    is_secret: withDefault(flag(), 0),
    note: orNull(text(255)),
  }),
}
