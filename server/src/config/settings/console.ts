import { onOff, type Values } from './schemas.ts'

/** The settings of the features that the console offers. */

export const consoleVariables = {
  ACCOUNT_LIMITS: onOff.default(false),
  DISABLE_ADDITIONAL_SPEECH_VENDORS: onOff.default(false),
  DISABLE_CALL_RECORDING: onOff.default(false),
  DISABLE_CUSTOM_SPEECH: onOff.default(false),
  DISABLE_DEFAULT_TRUNK_ROUTING: onOff.default(false),
  DISABLE_INITIAL_APPLICATION: onOff.default(false),
  DISABLE_JAEGER_TRACING: onOff.default(false),
  DISABLE_LCR: onOff.default(false),
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
