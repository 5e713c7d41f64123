export const accountLengths = {
  name: 64,
  sip_realm: 132,
  webhook_secret: 36,
  deactivated_reason: 255,
  subspace: 255,
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
