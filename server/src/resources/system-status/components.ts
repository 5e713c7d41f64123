import type { ComponentGroup } from '@patchbay/contract/system-status'

/** The purpose of each component, and how to repair it. */

export const componentIds = [
  'database',
  'redis',
  'backups',
  'sbcs',
  'feature-servers',
  'rtp-engines',
  'calls',
  'traces',
  'logs',
  'captures',
  'recordings',
  'masking',
  'object-storage',
  'certificates',
  'mail',
  'payment',
  'speech',
] as const
export type ComponentId = (typeof componentIds)[number]

export interface ComponentDescription {
  group: ComponentGroup
  name: string
  /** The consequences of an outage. */
  effect: string
  /** The remedy for an outage. */
  fix: string
  /** Environment variables that enable or connect the component. */
  settings: readonly string[]
}

const redisSettings = ['JAMBONES_REDIS_HOST', 'JAMBONES_REDIS_PORT', 'JAMBONES_REDIS_SENTINELS']
const intakeCredentials = ['INTAKE_USERNAME', 'INTAKE_PASSWORD']

export const descriptions: Readonly<Record<ComponentId, ComponentDescription>> = {
  database: {
    group: 'storage',
    name: 'Database',
    effect: 'Patchbay rejects every request, and the call servers cannot route calls.',
    fix: 'Start the database server, and check its address and its number of connections.',
    settings: ['DATABASE_URL', 'DATABASE_CONNECTIONS', 'DATA_DIR'],
  },
  redis: {
    group: 'storage',
    name: 'Redis',
    effect: 'Users cannot sign in, and live calls, SIP registrations, and the state of call servers are not available.',
    fix: 'Start the Redis of the platform, and check its address and credentials.',
    settings: redisSettings,
  },
  backups: {
    group: 'storage',
    name: 'Scheduled backups',
    effect: 'If the database or the disk is lost, the changes since the last backup are lost too.',
    fix: 'Check the target of the backups, its credentials, and its free space. Patchbay retries by itself.',
    settings: ['BACKUP_TARGET', 'BACKUP_SCHEDULE', 'BACKUP_KEEP', 'BACKUP_PASSPHRASE'],
  },
  sbcs: {
    group: 'call_servers',
    name: 'SBCs',
    effect: 'Carriers and SIP clients cannot reach the platform, so no calls arrive.',
    fix: 'Start the SBC, and check that it writes to the same database and Redis as Patchbay.',
    settings: ['DATABASE_URL', 'JAMBONES_CLUSTER_ID', ...redisSettings],
  },
  'feature-servers': {
    group: 'call_servers',
    name: 'Feature servers',
    effect: 'The SBCs reject every call, and no application runs.',
    fix: 'Start a feature server, and check that it uses the Redis and the cluster ID of Patchbay.',
    settings: ['JAMBONES_CLUSTER_ID', 'K8S_FEATURE_SERVER_SERVICE_NAME', ...redisSettings],
  },
  'rtp-engines': {
    group: 'call_servers',
    name: 'RTP engines',
    effect: 'Calls are rejected, or they connect without audio.',
    fix: 'Start RTPEngine, and check that it registers in Redis or is listed in JAMBONES_RTPENGINES of the SBCs.',
    settings: ['JAMBONES_CLUSTER_ID', ...redisSettings],
  },
  calls: {
    group: 'call_data',
    name: 'Call records and alerts',
    effect: 'Recent calls, call quality, and alerts show nothing new.',
    fix: 'Set JAMBONES_TIME_SERIES_HOST of the feature servers and SBCs to this port and list their addresses in INTAKE_INFLUX_SENDERS, or connect the InfluxDB of the platform.',
    settings: ['INTAKE_INFLUX', 'INTAKE_INFLUX_SENDERS', 'JAMBONES_TIME_SERIES_HOST', ...intakeCredentials],
  },
  traces: {
    group: 'call_data',
    name: 'Traces',
    effect: 'Calls have no trace, so the time of webhooks and speech is unknown.',
    fix: 'Set the OTLP address of the feature servers to this port, or connect the Jaeger of the platform.',
    settings: ['INTAKE_OTLP', 'JAEGER_BASE_URL', ...intakeCredentials],
  },
  logs: {
    group: 'call_data',
    name: 'Logs',
    effect: 'Calls have no log lines.',
    fix: 'Send the log lines of the feature servers to this port, or set the AWS region of the platform.',
    settings: ['INTAKE_OTLP', 'AWS_REGION', ...intakeCredentials],
  },
  captures: {
    group: 'call_data',
    name: 'Captured SIP',
    effect: 'Calls have no SIP ladder diagram and no PCAP file.',
    fix: 'Configure the SBCs to send HEP to this port and list their addresses in INTAKE_HEP_SENDERS, or connect the Homer of the platform.',
    settings: [
      'INTAKE_HEP',
      'INTAKE_HEP_SENDERS',
      'HOMER_BASE_URL',
      'HOMER_USERNAME',
      'HOMER_PASSWORD',
      'INTAKE_PASSWORD',
    ],
  },
  recordings: {
    group: 'call_data',
    name: 'Recordings',
    effect: 'Calls are not recorded.',
    fix: 'Set JAMBONZ_RECORD_WS_BASE_URL of the feature servers to Patchbay, with the same credentials.',
    settings: ['JAMBONZ_RECORD_WS_USERNAME', 'JAMBONZ_RECORD_WS_PASSWORD'],
  },
  masking: {
    group: 'call_data',
    name: 'Masking by patterns',
    effect:
      'Texts that were not searched in time are replaced by [text not checked], for the named service providers only.',
    fix: 'The service providers have to simplify or remove patterns of their masking rules.',
    settings: [],
  },
  'object-storage': {
    group: 'services',
    name: 'Object storage',
    effect: 'Recordings stay on this server until their upload succeeds.',
    fix: 'Test the storage in the settings of the account that records calls.',
    settings: ['PRIVATE_NETWORKS'],
  },
  certificates: {
    group: 'services',
    name: 'TLS certificates',
    effect: 'Browsers do not open the console, and SIP devices, WebRTC clients, and Microsoft Teams cannot connect.',
    fix: 'Renew the certificate on the reverse proxy or the SBC, and check its automatic renewal.',
    settings: ['PUBLIC_URL'],
  },
  mail: {
    group: 'services',
    name: 'Mail',
    effect: 'Password resets, alert emails, and confirmation codes do not arrive.',
    fix: 'Check the address, the credentials, and the certificate of the mail server.',
    settings: ['SMTP_URL', 'SMTP_CA_FILE', 'MAIL_FROM'],
  },
  payment: {
    group: 'services',
    name: 'Payment',
    effect: 'Accounts cannot subscribe or change their subscription.',
    fix: 'Check the secret key of Stripe and the connection to its API.',
    settings: ['STRIPE_API_KEY', 'STRIPE_BASE_URL'],
  },
  speech: {
    group: 'services',
    name: 'Speech services',
    effect: 'Applications that use the failing services cannot speak or recognize speech.',
    fix: 'Open the failing speech service, replace its key, and test it.',
    settings: [],
  },
}
