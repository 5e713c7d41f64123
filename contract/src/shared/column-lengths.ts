/**
 * Maximum lengths of text members, taken from the widths of the platform's columns
 * (docs/reference/platform-api/database.md#column-types). Tables, schemas, and forms use them.
 */

export const apiKeyLengths = { name: 64 } as const

export const webhookLengths = { url: 1024, username: 255, password: 255 } as const

export const serviceProviderLengths = { name: 64, description: 255, root_domain: 128, ms_teams_fqdn: 255 } as const

export const accountLengths = {
  name: 64,
  sip_realm: 132,
  webhook_secret: 36,
  deactivated_reason: 255,
  subspace: 255,
} as const

/**
 * `stored` is the size of the platform's TEXT columns in bytes. The columns contain the verbs as plain text and the
 * variables encrypted.
 */
export const applicationLengths = {
  name: 64,
  speech_synthesis_vendor: 64,
  speech_synthesis_language: 12,
  speech_synthesis_voice: 256,
  speech_synthesis_label: 64,
  speech_recognizer_vendor: 64,
  speech_recognizer_language: 64,
  speech_recognizer_label: 64,
  fallback_speech_synthesis_vendor: 64,
  fallback_speech_synthesis_language: 12,
  fallback_speech_synthesis_voice: 256,
  fallback_speech_synthesis_label: 64,
  fallback_speech_recognizer_vendor: 64,
  fallback_speech_recognizer_language: 64,
  fallback_speech_recognizer_label: 64,
  stored: 65_535,
} as const

/**
 * Members of a storage credential. All of them are encrypted into a single column, so their total length is limited,
 * too.
 */
export const bucketLengths = {
  name: 255,
  region: 64,
  endpoint: 255,
  access_key_id: 255,
  secret_access_key: 255,
  service_key: 6000,
  connection_string: 1024,
  tags: 50,
  tagKey: 128,
  tagValue: 256,
  stored: 8192,
} as const

/**
 * `stored` is the length of the column with all of a vendor's members, encrypted; `member` is the length of each of
 * them.
 */
export const speechCredentialLengths = { vendor: 32, customName: 25, label: 64, member: 4000, stored: 8192 } as const

/** A voice cloning key is a text of about 100 kB. */
export const googleCustomVoiceLengths = { name: 64, model: 512, voice_cloning_key: 1_000_000 } as const

export const voipCarrierLengths = {
  name: 64,
  description: 255,
  register_username: 64,
  register_sip_realm: 64,
  register_password: 64,
  tech_prefix: 16,
  inbound_auth_username: 64,
  inbound_auth_password: 64,
  diversion: 32,
  smpp_system_id: 255,
  smpp_password: 64,
  smpp_inbound_system_id: 255,
  smpp_inbound_password: 64,
  register_from_user: 128,
  register_from_domain: 255,
  outbound_sip_proxy: 255,
} as const

export const gatewayLengths = { ipv4: 128 } as const

export const phoneNumberLengths = { number: 132 } as const

export const msTeamsTenantLengths = { tenant_fqdn: 255 } as const

/** `types` is the number of types. */
export const alertDestinationLengths = { name: 64, target: 1024, type: 64, types: 50, link: 128 } as const

/** `stored` is the column's length, because encryption makes passwords longer. */
export const clientLengths = { username: 64, password: 128, stored: 1024 } as const

export const lcrLengths = { name: 64 } as const

export const lcrRouteLengths = { regex: 32, description: 1024 } as const

/** Addresses of the platform's own SBCs and SMPP servers. */
export const platformAddressLengths = { ipv4: 255 } as const

export const userLengths = { name: 255, email: 255, email_activation_code: 16 } as const

export const systemInformationLengths = {
  domain_name: 255,
  sip_domain_name: 255,
  monitoring_domain_name: 255,
  private_network_cidr: 8192,
} as const
