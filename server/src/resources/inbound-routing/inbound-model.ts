/** The rows that affect the routing of an inbound call, its steps, and its ends. */

export interface InboundCall {
  /** IPv4 source address of the call. */
  source: string
  /** User part of the Request-URI: the called number. */
  number: string
  /** Host part of the Request-URI: a domain name or an IP address. */
  realm: string
}

export interface InboundAccount {
  account_sid: string
  service_provider_sid: string
  is_active: boolean
  /** Application for calls from the account's devices. */
  device_calling_application_sid: string | null
}

/** An inbound gateway, or one of a carrier that registers, with its carrier. */
export interface InboundGateway {
  sip_gateway_sid: string
  voip_carrier_sid: string
  ipv4: string
  netmask: number
  /** False for a gateway of a carrier that registers, and that is used for outbound calls only. */
  is_inbound: boolean
  carrier: {
    account_sid: string | null
    service_provider_sid: string | null
    application_sid: string | null
    is_active: boolean
    requires_register: boolean
    register_sip_realm: string | null
    register_username: string | null
  }
}

/** A phone number or a number pattern. */
export interface InboundNumber {
  phone_number_sid: string
  number: string
  voip_carrier_sid: string
  account_sid: string | null
  application_sid: string | null
}

/** A carrier whose calls are recognized by their credentials. */
export interface AuthTrunk {
  voip_carrier_sid: string
  name: string
  application_sid: string | null
}

/** All rows that affect the routing of a call. */
export interface InboundFacts {
  /** Account with a SIP realm that equals the host exactly. */
  realmAccount: InboundAccount | undefined
  /** Account with a SIP realm that equals the host or its parent domain. Used for calls from devices. */
  deviceAccount: InboundAccount | undefined
  /** Active carriers with credentials that the account for calls from devices can use. */
  authTrunks: readonly AuthTrunk[]
  /** Gateways of all tenants with a network that contains the source address, in the order of the database. */
  gateways: readonly InboundGateway[]
  /** Numbers of the carriers: the called number, and all patterns. */
  numbers: readonly InboundNumber[]
  /** Accounts of the carriers and numbers, by SID. */
  accounts: ReadonlyMap<string, InboundAccount>
  /** By SID of each carrier's service provider: its only account, if it has exactly one. */
  onlyAccounts: ReadonlyMap<string, InboundAccount>
  /** MS Teams tenant with the host as its domain. */
  teamsTenant: { account_sid: string; application_sid: string | null } | undefined
}

export type PatternMatch = 'matched' | 'unmatched' | 'invalid'

/** Decides whether a stored pattern matches a called number. */
export type PatternMatcher = (pattern: string, number: string) => PatternMatch

export interface TriedPattern {
  row: InboundNumber
  match: PatternMatch
}

export type InboundStep =
  /** The host is a domain name. `account` is the account with this SIP realm. */
  | { is: 'realm'; account: InboundAccount | undefined }
  /**
   * Gateways that accept the call, either of one account or of all tenants. If several match equally, the first one is
   * undefined.
   */
  | { is: 'gateways'; how: 'realm' | 'network'; gateways: readonly InboundGateway[] }
  /** Carriers that register with this host and user name. */
  | { is: 'registrations'; gateways: readonly InboundGateway[] }
  | { is: 'numbers'; rows: readonly InboundNumber[] }
  /** Ordered by length, longest first, up to the matching pattern. */
  | { is: 'patterns'; tried: readonly TriedPattern[] }
  /** No number matches. Lists the account carriers that have their own application. */
  | { is: 'default_carriers'; gateways: readonly InboundGateway[] }
  | { is: 'only_account'; account: InboundAccount | undefined }
  /** No known carrier matches. */
  | { is: 'teams'; found: boolean }
  | { is: 'devices'; account: InboundAccount | undefined }

interface Versioned {
  /** True if versions of the SBC that ignore networks when a gateway has exactly the address decide otherwise. */
  isVersionDependent?: true
}

export type InboundEnd =
  | (Versioned & {
      is: 'taken'
      /** Undefined if the call comes from a device or from Teams. */
      gateway: InboundGateway | undefined
      account: InboundAccount | undefined
      /** The matching number or pattern. */
      row: InboundNumber | undefined
      application_sid: string | null
      /** Kind of record that determines the application. */
      of: 'number' | 'carrier' | 'account' | 'teams'
      /** True if several gateways match equally, so that it is undefined which one the platform chooses. */
      isByChance: boolean
      /** For a call from a device: the carriers from which it comes if the caller has their credentials, each with the
       * application of the number on it, or its default one. */
      trunks?: readonly AuthTrunk[]
    })
  /** `account` is set if an inactive account is the reason. */
  | (Versioned & { is: 'refused'; status: 404 | 500 | 503; why: InboundRejectionReason; account?: InboundAccount })

export type InboundRejectionReason =
  | 'not_provisioned'
  | 'several_numbers'
  | 'several_registrations'
  | 'several_carriers'
  | 'inactive_account'
  | 'no_account'
  | 'no_teams_tenant'
  | 'unknown_realm'

export interface InboundRouting {
  steps: InboundStep[]
  end: InboundEnd
}
