import type { Configuration } from '../config/configuration.ts'
import type { ConsoleOptions } from '../http/console.ts'

/** Features that Patchbay adds to the API of jambonz, as far as the console asks whether a server has them. */
const extensions = [
  'account-cascade',
  'account-contents',
  'alert-groups',
  'api-keys',
  'audit-trail',
  'bulk-changes',
  'call-legs',
  'call-number-filter',
  'call-quality',
  'call-reports',
  'call-shares',
  'call-tables',
  'carrier-connection-check',
  'carrier-health',
  'conversations',
  'data-deletions',
  'inbound-routing',
  'live-calls-of-provider',
  'many-phone-numbers',
  'masking-rules',
  'overview',
  'platform-api-keys',
  'provider-cascade',
  'registered-clients',
  'saved-views',
  'speech-keys',
  'speech-used-by',
  'system-status',
  'unsaved-tests',
  'user-promotion',
  'webhook-workbench',
] as const

/**
 * Alert destinations, and statistics, transcripts, and reviews of conversations need alerts and call records that
 * Patchbay receives. Those in the InfluxDB of jambonz do not pass through Patchbay.
 */
export const listExtensions = ({ timeSeries, hosting, passwordReset, phoneSbcUrls }: Configuration): string[] => [
  ...(timeSeries === null ? ['alert-destinations', 'call-reviews', 'conversation-quality', 'conversation-search'] : []),
  // Activation codes are created by the server, not by the browser.
  ...(hosting === null ? [] : ['activation-codes']),
  ...(passwordReset === null ? [] : ['invitations']),
  ...(phoneSbcUrls.length === 0 ? [] : ['phone-sessions']),
  ...extensions,
]

/** Console features that this installation enables or disables. config.json contains them. */
const listSwitches = (configuration: Configuration): string[] => [
  ...(configuration.accountLimits ? ['account-limits'] : []),
  ...(configuration.adminCarriers ? ['admin-carriers'] : []),
  ...(configuration.otlpIntake === null ? [] : ['call-logs']),
  ...(configuration.hosting === null ? [] : ['hosted-system']),
  ...(configuration.passwordReset === null ? [] : ['forgot-password', 'password-for-email']),
  ...(configuration.additionalSpeechVendors ? [] : ['no-additional-speech-vendors']),
  ...(configuration.callRecording ? [] : ['no-call-recording']),
  ...(configuration.customSpeech ? [] : ['no-custom-speech']),
  ...(configuration.defaultTrunkRouting ? [] : ['no-default-trunk-routing']),
  ...(configuration.initialApplication ? [] : ['no-initial-application']),
  ...(configuration.outboundRouting ? [] : ['no-lcr']),
  ...(configuration.tracing ? [] : ['no-tracing']),
  ...(configuration.redis === null ? ['no-live-calls', 'no-registrations', 'no-tts-cache'] : []),
]

/** The public settings of each sign-in provider. */
const createProviderSettings = ({ signInProviders }: Configuration): Record<string, object> =>
  Object.fromEntries(
    Object.entries(signInProviders).flatMap(([name, settings]) => {
      if (settings === null) return []
      const { clientId, authorizeUrl } = settings
      return [[name, { clientId, authorizeUrl }]]
    }),
  )

/** Returns the URL of Stripe.js if visitors can register and a publishable key is configured. */
const getPaymentScript = ({ hosting, billing }: Configuration): string | null =>
  hosting !== null && billing?.publishableKey ? billing.scriptUrl : null

/** Additional settings for the console of a hosted installation. config.json contains them. */
const createHostingSettings = (configuration: Configuration) => {
  const { hosting, billing } = configuration
  const stripeJs = getPaymentScript(configuration)
  if (hosting === null) return null
  const hostingSettings = { ...hosting, signInProviders: createProviderSettings(configuration) }
  return stripeJs === null
    ? hostingSettings
    : { ...hostingSettings, stripePublishableKey: billing?.publishableKey, stripeJs }
}

/** Returns what config.json tells the console about an installation. */
export const createConsoleSettings = (configuration: Configuration): Omit<ConsoleOptions, 'root'> => ({
  apiBase: configuration.apiBase,
  awsRegion: configuration.awsRegion,
  hosting: createHostingSettings(configuration),
  paymentScript: getPaymentScript(configuration),
  phoneSbcUrls: configuration.phoneSbcUrls,
  extensions: listExtensions(configuration),
  switches: listSwitches(configuration),
})
