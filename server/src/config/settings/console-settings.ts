import { onOff, type Values } from './schemas.ts'

/** The settings of the features that the console offers. */

export const consoleVariables = {
  ACCOUNT_LIMITS: onOff
    .default(false)
    .describe('The console offers limits of minutes and of licensed calls and minutes'),
  DISABLE_ADDITIONAL_SPEECH_VENDORS: onOff.default(false).describe('The console does not offer Speechmatics'),
  DISABLE_CALL_RECORDING: onOff
    .default(false)
    .describe(
      'The console does not offer call recording. Recordings that exist can still be played, ' +
        'downloaded, and deleted; accounts and applications that record continue until a program changes ' +
        'them',
    ),
  DISABLE_CUSTOM_SPEECH: onOff
    .default(false)
    .describe(
      'The console does not offer custom speech vendors, and the API rejects new ones (400). Those that ' +
        'exist keep working',
    ),
  DISABLE_DEFAULT_TRUNK_ROUTING: onOff
    .default(false)
    .describe('Only administrators can set the default application of a carrier'),
  DISABLE_INITIAL_APPLICATION: onOff
    .default(false)
    .describe('The console does not offer verbs that replace the first response of a webhook'),
  DISABLE_JAEGER_TRACING: onOff
    .default(false)
    .describe(
      'The console shows no traces, no log lines, and no conversations that contain a trace. ' +
        'Transcripts and latencies of recordings remain',
    ),
  DISABLE_LCR: onOff
    .default(false)
    .describe('The menu has no outbound call routing. Its screens still open by their URL'),
}

export const getConsoleSettings = (env: Values<typeof consoleVariables>) => ({
  /** Whether the console offers limits for minutes and licenses. */
  accountLimits: env.ACCOUNT_LIMITS,
  /** Whether users can add custom speech services, and vendors that not every jambonz installation supports. */
  customSpeech: !env.DISABLE_CUSTOM_SPEECH,
  additionalSpeechVendors: !env.DISABLE_ADDITIONAL_SPEECH_VENDORS,
  /** Whether the console offers call recording. */
  callRecording: !env.DISABLE_CALL_RECORDING,
  /** Whether all users can set the default application of a carrier, or only admins. */
  defaultTrunkRouting: !env.DISABLE_DEFAULT_TRUNK_ROUTING,
  /** Whether the console offers static verbs that replace the calling webhook's first response. */
  initialApplication: !env.DISABLE_INITIAL_APPLICATION,
  /** Whether the console shows call traces. */
  tracing: !env.DISABLE_JAEGER_TRACING,
  /** Whether the console offers outbound routing. */
  outboundRouting: !env.DISABLE_LCR,
})
