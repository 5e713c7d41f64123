import { alertDestinationLengths } from '@patchbay/contract/shared/column-lengths'
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
  /** JSON array of field, before and after, secrets masked */
  changes: longText(),
  reason: orNull(text(255)),
  times: integer(),
}

/** Patchbay's own tables; all names carry the prefix. Times are epoch milliseconds. */
export const ownTables = {
  /** Sessions of signed-in users: one row a token, so that one can end without the others. */
  patchbay_sessions: table(
    {
      /** SHA-256 of the token, hex */
      token_hash: primary(exactText(64)),
      user_sid: sid(),
      expires_at: bigInteger(),
    },
    { indexes: [{ on: ['user_sid'] }, { on: ['expires_at'] }] },
  ),
  /** Counters that run out (failed sign-ins by name and by address). */
  patchbay_counters: table(
    {
      counter: primary(exactText(191)),
      count: integer(),
      expires_at: bigInteger(),
    },
    { indexes: [{ on: ['expires_at'] }] },
  ),
  /**
   * Call records. Times are epoch milliseconds plus the nanoseconds below them, because writers spread the calls of
   * one millisecond over its nanoseconds. `call_key` (call_sid, else sip_callid, else the writer's tags) makes a
   * repeated point one row; the same index orders an account's calls.
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
      /** JSON object of fields that newer writers add */
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
   * How many calls of a kind an owner has in an hour, an owner being an account or a service provider: kept with the
   * calls themselves, it gives totals without counting, and says in which hours the calls of a page are.
   */
  patchbay_call_hours: table(
    {
      owner_sid: exactText(36),
      /** 0: the whole hour, 1: of one kind, which is what the filters tell apart */
      by_kind: flag(),
      /** since the epoch, of the attempt */
      hour: integer(),
      /** empty where the call has none and for the whole hour, as the direction */
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
   * How calls went: sums of the calls of a day of one kind, kept with the calls themselves. An owner is an account, then
   * `provider_sid` says whose (empty: nobody's), or a service provider, then it is empty.
   */
  patchbay_call_days: table(
    {
      owner_sid: exactText(36),
      provider_sid: exactText(36),
      /** since the epoch, in UTC, of the attempt */
      day: integer(),
      /** empty where the call has none, as the direction */
      trunk: exactText(255),
      direction: exactText(16),
      /** 0 where it is not known */
      sip_status: integer(),
      answered: flag(),
      calls: integer(),
      seconds: bigInteger(),
      /** calls of which the delay before ringing is known, and these delays together */
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
  /** When a call was dialled, and when it first rang, in epoch milliseconds, as its trace says; until its record has come. */
  patchbay_call_delays: table(
    {
      call_sid: primary(exactText(64)),
      dialled_at: orNull(bigInteger()),
      rung_at: orNull(bigInteger()),
      received_at: bigInteger(),
    },
    { indexes: [{ on: ['received_at'] }] },
  ),
  /** Alerts. `fingerprint` (SHA-256 of the whole alert) makes a repeated point one row and keeps distinct ones apart. */
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
   * Where alerts are sent: of an account, or of a service provider (then `account_sid` is null). A process that sends
   * has claimed the row until `claimed_until`, so that two never send to one destination at once.
   */
  patchbay_alert_destinations: table(
    {
      alert_destination_sid: primary(exactText(36)),
      account_sid: orNull(sid()),
      service_provider_sid: orNull(sid()),
      name: text(alertDestinationLengths.name),
      kind: exactText(16),
      target: exactText(alertDestinationLengths.target),
      /** JSON list; empty: all */
      types: longText(),
      is_active: flag(),
      /** of a service provider's webhook, encrypted */
      webhook_secret: orNull(longText()),
      /** when something is to be sent; null: nothing waits */
      due_at: orNull(bigInteger()),
      claim: orNull(exactText(36)),
      claimed_until: bigInteger(),
      /** the minute that was begun, and how many alerts it had one by one */
      minute_at: bigInteger(),
      minute_sent: integer(),
      /** alerts for which there was no room in the queue */
      left_out: integer(),
      failing_since: orNull(bigInteger()),
      last_delivered_at: orNull(bigInteger()),
      last_error: orNull(text(alertErrorLength)),
    },
    { indexes: [{ on: ['account_sid'] }, { on: ['service_provider_sid'] }, { on: ['due_at'] }] },
  ),
  /**
   * E-mail addresses of destinations that were asked, and those that said yes. What stands here of another address than the
   * destination's is of one that it had.
   */
  patchbay_alert_addresses: table(
    {
      alert_destination_sid: primary(exactText(36)),
      target: exactText(alertDestinationLengths.target),
      /** SHA-256 of the link, hex; null: none was mailed */
      link_hash: orNull(exactText(64)),
      link_until: bigInteger(),
      /** when the link was handed over */
      sent_at: orNull(bigInteger()),
      confirmed_at: orNull(bigInteger()),
    },
    { indexes: [{ unique: true, on: ['link_hash'] }] },
  ),
  /** Alerts for destinations: the queue of what waits, and the log of what became of the rest. */
  patchbay_alert_deliveries: table(
    {
      delivery_sid: primary(exactText(36)),
      alert_destination_sid: exactText(36),
      queued_at: bigInteger(),
      raised_at: bigInteger(),
      raised_ns: integer(),
      fingerprint: exactText(64),
      alert_type: exactText(64),
      /** waiting, delivered or given_up */
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
  /**
   * What accounts have used of their quotas on a UTC day, in days since the epoch. `kind` is a kind of call data, or
   * `recordings`, whose amount is bytes. `alerted` is the percentage of which the account has got an alert on that day.
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
   * Traces as they came: the spans of one trace in one delivery are a row. `content` is gzipped JSON of the
   * `resourceSpans` that the API answers. `part_key` (SHA-256 of the content) makes a repeated delivery one row.
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
  /**
   * What programs logged during calls: lines of one call in one delivery are a row. `call_id` is a call_sid or a SIP
   * Call-ID; `content` is a gzipped JSON list of lines.
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
   * Captured SIP, a row a message. `captured_at` is when its packet was seen, in epoch microseconds, `received_at` when it
   * came here. `message_key` (SHA-256 of its ends and its content) makes a repeated packet one row.
   */
  patchbay_sip_messages: table(
    {
      sip_callid: exactText(255),
      captured_at: bigInteger(),
      message_key: exactText(64),
      received_at: bigInteger(),
      /** of the request, also in its answers */
      method: exactText(32),
      /** number of the transport protocol */
      transport: integer(),
      source: exactText(45),
      source_port: integer(),
      destination: exactText(45),
      destination_port: integer(),
      content: bytes(),
    },
    { indexes: [{ unique: true, on: ['sip_callid', 'captured_at', 'message_key'] }, { on: ['received_at'] }] },
  ),
  /**
   * Who changed what, and what was refused: a row a thing, written with the change. `moment` is when, in epoch
   * microseconds that are made unique, so that time alone orders the table and each of its indexes.
   */
  patchbay_audit_trail: table(auditColumns, {
    // Each entry of an index ends with the primary key, on both engines.
    indexes: [{ on: ['service_provider_sid'] }, { on: ['account_sid'] }, { on: ['sid'] }],
  }),
  /** SQLite only: where the same is written first, in no index, and waits to be moved many at once. */
  patchbay_audit_latest: table(auditColumns),
  /** Links of mails that set a new password: one a user, so that a new one ends the old one. */
  patchbay_reset_links: table(
    {
      user_sid: primary(exactText(36)),
      /** SHA-256 of the link, hex */
      link_hash: exactText(64),
      /** SHA-256 of password and address that the user had then, hex: another of them ends the link */
      made_for: exactText(64),
      expires_at: bigInteger(),
    },
    { indexes: [{ unique: true, on: ['link_hash'] }] },
  ),
  /**
   * Visitors who registered and have not confirmed their address yet: nothing of theirs is in the platform's tables until
   * they have. Also a new address, or a first password, of a user who exists.
   */
  patchbay_registrations: table(
    {
      /** of the user who will be, or who is */
      user_sid: primary(exactText(36)),
      /** null: the user exists */
      account_sid: orNull(exactText(36)),
      service_provider_sid: orNull(exactText(36)),
      email: text(255),
      /** null: the password stays as it is */
      hashed_password: orNull(exactText(1024)),
      invite_code: orNull(text(6)),
      /** HMAC of user and code, hex; null: the address has an account already, and no code is right */
      code_hash: orNull(exactText(64)),
      tries_left: integer(),
      expires_at: bigInteger(),
    },
    { indexes: [{ on: ['expires_at'] }] },
  ),
  /**
   * Accounts that have, or had, to do with the one who takes the money. Whoever changes something there has claimed the
   * row until `claimed_until`, so that two never change one account at once.
   */
  patchbay_billing: table(
    {
      account_sid: primary(exactText(36)),
      claim: orNull(exactText(36)),
      claimed_until: bigInteger(),
      /** somebody waits for an answer: nobody else waits for his turn then */
      is_action: flag(),
      /** how often we were told to look, and what of it has been looked at */
      asked: bigInteger(),
      looked: bigInteger(),
      /** when to look again; null: only when told */
      due_at: orNull(bigInteger()),
      /** looks that failed since the last good one */
      failures: integer(),
      /** JSON of a change that has begun and is not known to be done */
      intent: orNull(longText()),
      /** under which the customer is made, until he is */
      customer_key: orNull(exactText(36)),
    },
    { indexes: [{ on: ['due_at'] }] },
  ),
  /** Events that have been taken, so that each counts once. */
  patchbay_billing_events: table(
    { event_id: primary(exactText(255)), received_at: bigInteger() },
    { indexes: [{ on: ['received_at'] }] },
  ),
  /** By which Google or GitHub accounts users sign in. `provider_id` is what stays with a person there for ever. */
  patchbay_sign_in_links: table(
    {
      provider: exactText(16),
      provider_id: exactText(255),
      user_sid: exactText(36),
      linked_at: bigInteger(),
    },
    { indexes: [{ unique: true, on: ['provider', 'provider_id'] }, { on: ['user_sid'] }] },
  ),
  /** Offers to link: who holds one came from a provider with the address of a user, whose password is still to be shown. */
  patchbay_link_tickets: table(
    {
      /** SHA-256 of the ticket, hex */
      ticket_hash: primary(exactText(64)),
      user_sid: exactText(36),
      provider: exactText(16),
      provider_id: exactText(255),
      /** as the wire's column has it */
      provider_userid: text(255),
      email: text(255),
      picture: orNull(longText()),
      tries_left: integer(),
      expires_at: bigInteger(),
    },
    { indexes: [{ on: ['user_sid'] }, { on: ['expires_at'] }] },
  ),
  /**
   * DNS records of a SIP realm, from the intent to make them until they are removed: what a process left half done another
   * ends. `state`: `claimed` (nothing is made yet), `making`, `made`, `removing`.
   */
  patchbay_realm_records: table(
    {
      realm_records_sid: primary(exactText(36)),
      account_sid: exactText(36),
      sip_realm: exactText(132),
      /** the realm while it is claimed and not yet the account's */
      claim: orNull(exactText(132)),
      state: exactText(16),
      /** the domain that is managed at the provider; null: not looked for yet */
      zone: orNull(exactText(255)),
      /** JSON list of the provider's ids; null: not known, so looked for by name */
      record_ids: orNull(longText()),
      /** from when on any process may end what is left; null: nothing is */
      due_at: orNull(bigInteger()),
    },
    { indexes: [{ unique: true, on: ['claim'] }, { on: ['account_sid'] }, { on: ['due_at'] }, { on: ['sip_realm'] }] },
  ),
  /** What Patchbay remembers about itself: generated secrets of the embedded installation, first-start marks. */
  patchbay_settings: table({
    setting: primary(exactText(64)),
    value: longText(),
    is_secret: withDefault(flag(), 0),
    note: orNull(text(255)),
  }),
}
